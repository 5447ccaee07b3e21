#include "web/documents/slot_assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dl::web {
namespace {

constexpr double kAcceptedOverlap = 1.0 / 20;

struct Assignment {
  std::vector<size_t> slots;  // of each lease
  double overlap = 0;         // ms
};

// Puts each lease into the first free slot, or into the slot that is free first.
Assignment AssignTo(size_t count, std::span<const LeaseTime> leases) {
  Assignment assignment;
  std::vector<double> busy_until(count, -std::numeric_limits<double>::infinity());
  for (const LeaseTime& lease : leases) {
    auto slot =
        std::ranges::find_if(busy_until, [&](double until) { return until <= lease.begin; });
    if (slot == busy_until.end()) {
      slot = std::ranges::min_element(busy_until);
      assignment.overlap += std::min(*slot, lease.end) - lease.begin;
    }
    *slot = std::max(*slot, lease.end);
    assignment.slots.push_back(static_cast<size_t>(slot - busy_until.begin()));
  }
  return assignment;
}

}  // namespace

std::vector<size_t> AssignSlots(std::span<const LeaseTime> leases) {
  double all = 0, covered = 0;  // ms of all leases, and with at least one lease
  double until = -std::numeric_limits<double>::infinity();
  for (const LeaseTime& lease : leases) {
    all += lease.end - lease.begin;
    covered += std::max(0.0, lease.end - std::max(until, lease.begin));
    until = std::max(until, lease.end);
  }
  // Fewer slots than the mean number of leases at the same time overlap too much.
  const double mean = covered > 0 ? all * (1 - kAcceptedOverlap) / covered : 1;
  for (auto count = static_cast<size_t>(std::max(1.0, std::floor(mean)));; ++count) {
    Assignment assignment = AssignTo(count, leases);
    if (assignment.overlap <= kAcceptedOverlap * all || count > leases.size())
      return std::move(assignment.slots);
  }
}

}  // namespace dl::web

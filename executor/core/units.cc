#include "executor/core/units.h"

#include <algorithm>

namespace dl::executor {

Work* Units::Find(const UnitId& unit) {
  const auto found = all_.find(unit);
  return found == all_.end() ? nullptr : &found->second;
}

Work* Units::Find(const UnitId& unit, uint64_t computation, Stage stage) {
  Work* const work = Find(unit);
  if (work == nullptr) return nullptr;
  return work->stage == stage && work->computed_under == computation ? work : nullptr;
}

Work& Units::Add(const rpc::Lease& lease) {
  return all_[lease.unit] = Work{.lease = lease,
                                 .leased_at = step_.now,
                                 .computed_under = lease.lease,
                                 .call = {.due = step_.now}};
}

void Units::Drop(const UnitId& unit) {
  const auto found = all_.find(unit);
  if (found == all_.end()) return;
  if (found->second.stage == Stage::kRunning) {
    step_.Do(AbortUnit{found->second.computed_under, found->first});
  } else {
    step_.Do(DropResult{found->second.computed_under, found->first});
  }
  all_.erase(found);
}

void Units::DropWhere(const std::function<bool(const UnitId&, const Work&)>& unwanted) {
  for (auto it = all_.begin(); it != all_.end();) {
    const auto current = it++;
    if (unwanted(current->first, current->second)) Drop(current->first);
  }
}

void Units::LeaveSession() {
  for (auto& [unit, work] : all_) {
    work.call.in_flight = false;
    work.call.due = step_.now;
    if (work.stage == Stage::kSending || work.stage == Stage::kHeld)
      work.stage = Stage::kAnnouncing;
    work.gathered_by = 0;
  }
}

int32_t Units::Waiting() const {
  return static_cast<int32_t>(std::ranges::count_if(
      all_, [](const auto& entry) { return entry.second.stage == Stage::kWaiting; }));
}

bool Units::AnyUnfinished() const {
  return std::ranges::any_of(all_, [](const auto& entry) {
    const Work& work = entry.second;
    return work.stage == Stage::kHeld ? work.gathered_by == 0 : work.stage != Stage::kRetained;
  });
}

Instant Units::NextToBegin() const {
  Instant next = Instant::Max();
  for (const auto& [unit, work] : all_) {
    if (work.stage == Stage::kWaiting) next = std::min(next, work.call.NextDue());
  }
  return next;
}

Instant Units::NextToSend() const {
  Instant next = Instant::Max();
  for (const auto& [unit, work] : all_) {
    const bool sends = work.stage == Stage::kAnnouncing || work.stage == Stage::kSending ||
                       work.stage == Stage::kReporting;
    if (sends) next = std::min(next, work.call.NextDue());
  }
  return next;
}

}  // namespace dl::executor

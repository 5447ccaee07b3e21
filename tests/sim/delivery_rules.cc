#include "tests/sim/delivery_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "master/core/machine/unit_progress.h"

namespace dl::sim {
namespace {

// Number of attempts to deliver a result. Each may take as long as a unit may stall.
constexpr int64_t kAttempts = 8;

}  // namespace

void DeliveryRules::Check(const master::Core& core, Instant now) {
  for (const auto& [id, job] : core.jobs()) {
    const Duration bound = kAttempts * master::Progress::ProgressBound(job);
    for (const auto& [index, unit] : job.units) {
      if (!unit.AwaitsBytes()) {
        awaited_.erase(unit.id);
        continue;
      }
      Awaited& awaited = awaited_[unit.id];
      if (awaited.expectation != unit.result.expected || awaited.since == Instant{})
        awaited = {.expectation = unit.result.expected, .since = now};
      if (now - awaited.since > bound)
        return audit_.breach(absl::StrCat("the accepted result of ", ToString(unit.id),
                                          " has not arrived in ", Seconds(bound), " s"));
    }
  }
}

}  // namespace dl::sim

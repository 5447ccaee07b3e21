// How often a job's test metric stood still, by which a learning rate falls (nn::PlateauSchedule).
#pragma once

#include <cstdint>

#include "master/core/job/early_stopping.h"

namespace dl::master {

// Part of the evaluation records, so a restart continues it.
struct Plateaus {
  BestSoFar best;     // epochs_without_gain: since the last plateau, too
  int64_t count = 0;  // how many there were

  bool operator==(const Plateaus&) const = default;
};

// Takes the evaluation of `round` into account, whose judged metric is `value`. Where the policy is
// off nothing changes.
Plateaus Follow(const PlateauPolicy& policy, const EarlyStoppingPolicy& judged,
                const Plateaus& before, int64_t round, double value);

}  // namespace dl::master

// Counts the plateaus of a job's test metric. Each lowers the learning rate (nn::PlateauSchedule).
#pragma once

#include <cstdint>

#include "master/core/job/early_stopping.h"

namespace dl::master {

// Evaluation records contain it, so a restart continues it.
struct Plateaus {
  BestSoFar best;     // epochs_without_gain also restarts at each plateau
  int64_t count = 0;  // number of plateaus so far

  bool operator==(const Plateaus&) const = default;
};

// Returns the state after the evaluation of `round`, whose metric under `judged` is `value`.
// Returns `before` if the policy is disabled.
Plateaus Follow(const PlateauPolicy& policy, const EarlyStoppingPolicy& judged,
                const Plateaus& before, int64_t round, double value);

}  // namespace dl::master

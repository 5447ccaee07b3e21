// When to stop: no improvement of a metric of the test set for `patience` epochs.
#pragma once

#include "master/core/job/definition.h"
#include "nn/metrics/metric_sums.h"

namespace dl::master {

// The controller's memory; part of the evaluation records, so a restart continues it.
struct BestSoFar {
  double value = 0;
  int64_t round = -1;  // -1: none yet
  int64_t epochs_without_gain = 0;

  bool operator==(const BestSoFar&) const = default;
};

// The metric that "best" is judged by: the policy's, or the test loss (minimised) when there is no
// policy.
double JudgedValue(const EarlyStoppingPolicy& policy, const nn::MetricSums& test);

// Takes the evaluation of `round` into account. A NaN never improves.
BestSoFar Judge(const EarlyStoppingPolicy& policy, const BestSoFar& before, int64_t round,
                double value);

bool ShouldStop(const EarlyStoppingPolicy& policy, const BestSoFar& best);

}  // namespace dl::master

// Stops a job if a metric of the test set does not improve by more than `min_delta` for `patience`
// epochs.
#pragma once

#include <optional>

#include "master/core/job/definition.h"
#include "master/core/job/round_log.h"
#include "nn/metrics/metric_sums.h"

namespace dl::master {

// State of the controller. Evaluation records contain it, so a restart continues it.
struct BestSoFar {
  double value = 0;  // of the metric after `round`
  // The last evaluation that improved by more than min_delta, or the first whose value is a number.
  // A later evaluation may be slightly better. -1: no value was a number yet.
  int64_t round = -1;
  int64_t epochs_without_gain = 0;  // evaluations after `round`

  bool operator==(const BestSoFar&) const = default;
};

// Returns the value of EarlyStoppingPolicy::metric, by default the loss. It also ranks the
// evaluations of a job without early stopping.
double JudgedValue(const JobDefinition& definition, const nn::MetricSums& test);
// Returns this value for a recorded evaluation: LogRecord::judged if the record has it, else the
// value from LogRecord::test.
double JudgedValue(const JobDefinition& definition, const LogRecord& evaluation);
// Returns LogRecord::judged for an evaluation with the sums `test` and the value `judged`. The core
// keeps only loss and accuracy of the sums (MetricSums::DropFigures). Returns nullopt if they are
// enough to compute the value, or if the value is not finite.
std::optional<double> JudgedValueToRecord(const JobDefinition& definition, nn::MetricSums test,
                                          double judged);

// Returns the state after the evaluation of `round`. The first value that is a number is an
// improvement; later ones must be better than before.value by more than policy.min_delta. A NaN is
// never an improvement.
BestSoFar Judge(const EarlyStoppingPolicy& policy, const BestSoFar& before, int64_t round,
                double value);

// Whether the policy is enabled and its patience is used up.
bool ShouldStop(const EarlyStoppingPolicy& policy, const BestSoFar& best);

}  // namespace dl::master

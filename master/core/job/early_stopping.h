// Stops a job if a metric of the test set does not improve for `patience` epochs.
#pragma once

#include <optional>

#include "master/core/job/definition.h"
#include "master/core/job/round_log.h"
#include "nn/metrics/metric_sums.h"

namespace dl::master {

// State of the controller. Evaluation records contain it, so a restart continues it.
struct BestSoFar {
  double value = 0;
  int64_t round = -1;  // of the best evaluation; -1: none yet whose value is a number
  int64_t epochs_without_gain = 0;

  bool operator==(const BestSoFar&) const = default;
};

// Returns the metric that determines the best evaluation: that of early stopping, by default the
// loss.
double JudgedValue(const JobDefinition& definition, const nn::MetricSums& test);
// Returns this metric for a recorded evaluation: LogRecord::judged if the record has it.
double JudgedValue(const JobDefinition& definition, const LogRecord& evaluation);
// Returns what a record must have as LogRecord::judged if its evaluation has the value `judged`.
std::optional<double> JudgedValueToRecord(const JobDefinition& definition, nn::MetricSums test,
                                          double judged);

// Returns the state after the evaluation of `round`. A NaN is never an improvement.
BestSoFar Judge(const EarlyStoppingPolicy& policy, const BestSoFar& before, int64_t round,
                double value);

// Whether the policy is enabled and its patience is used up.
bool ShouldStop(const EarlyStoppingPolicy& policy, const BestSoFar& best);

}  // namespace dl::master

#include "master/core/job/early_stopping.h"

#include "nn/metrics/agreement.h"

namespace dl::master {

double JudgedValue(const JobDefinition& definition, const nn::MetricSums& test) {
  return nn::FigureOf(test, definition.early_stopping.metric, definition.number_units);
}

BestSoFar Judge(const EarlyStoppingPolicy& policy, const BestSoFar& before, int64_t round,
                double value) {
  const double gain = policy.maximize ? value - before.value : before.value - value;
  const bool first = before.round < 0 && value == value;
  if (first || gain > policy.min_delta) return {value, round, 0};
  BestSoFar after = before;
  ++after.epochs_without_gain;
  return after;
}

bool ShouldStop(const EarlyStoppingPolicy& policy, const BestSoFar& best) {
  return policy.enabled && best.epochs_without_gain >= policy.patience;
}

}  // namespace dl::master

#include "master/core/job/early_stopping.h"

#include <cmath>
#include <utility>

#include "nn/metrics/agreement.h"

namespace dl::master {

double JudgedValue(const JobDefinition& definition, const nn::MetricSums& test) {
  return nn::FigureOf(test, definition.early_stopping.metric, definition.number_units);
}

double JudgedValue(const JobDefinition& definition, const LogRecord& evaluation) {
  return evaluation.judged ? *evaluation.judged : JudgedValue(definition, evaluation.test);
}

std::optional<double> JudgedValueToRecord(const JobDefinition& definition, nn::MetricSums test,
                                          double judged) {
  test.DropFigures();
  const bool is_lost = std::isfinite(judged) && std::isnan(JudgedValue(definition, test));
  return is_lost ? std::optional(judged) : std::nullopt;
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

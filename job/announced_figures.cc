#include "job/announced_figures.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/model_outputs.h"

namespace dl::job {
namespace {

bool IsOneOf(std::string_view metric, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, metric) != names.end();
}
bool NeedsScores(std::string_view metric) {
  return IsOneOf(metric, {"roc_auc", "average_precision"});
}

bool PredictsNumbers(const nn::Output& output) {
  return output.IsComparedWithLabels() &&
         (std::holds_alternative<nn::MeanSquaredError>(output.loss) ||
          std::holds_alternative<nn::MeanAbsoluteError>(output.loss) ||
          std::holds_alternative<nn::Huber>(output.loss));
}
// Returns the number of outputs that have scores: the second of two classes, each of several
// classes, or each answer to a yes-or-no question. 0: none, or too many.
int64_t ScoresOf(const nn::Output& output) {
  const bool has_classes = PredictsClasses(output.loss);
  const bool has_answers =
      output.IsComparedWithLabels() && std::holds_alternative<nn::BinaryCrossEntropy>(output.loss);
  if ((!has_classes && !has_answers) || output.units > limits::kMaxAnnouncedScoreOutputs) return 0;
  return has_classes && output.units <= 2 ? output.units - 1 : output.units;
}
bool WatchesScores(const JobSpec& spec) {
  return spec.training.early_stopping && NeedsScores(spec.training.early_stopping->metric);
}
// Returns the largest number of test examples whose scores are counted. REQUIRES: outputs have
// scores.
int64_t MostScoredExamples(const JobSpec& spec) {
  const int64_t most = WatchesScores(spec) ? kMaxWatchedScores : kMaxScores;
  const int64_t labels = nn::OutputsOf(spec.model).back().CountedPerExample();
  return most / ScoresOf(spec.model.output()) / std::max<int64_t>(labels, 1);
}
bool HasNumbers(const nn::Output& output) {
  return PredictsNumbers(output) && output.units <= limits::kMaxAnnouncedNumbers;
}
bool HasConfusion(const nn::Output& output) {
  return PredictsClasses(output.loss) && output.units <= limits::kMaxAnnouncedClasses;
}

}  // namespace

bool IsMetricOfNumbers(std::string_view metric) { return IsOneOf(metric, {"r2", "mse", "mae"}); }

AnnouncedFigures AnnouncedFiguresOf(const JobSpec& spec, int64_t test_examples) {
  const nn::Output output = spec.model.output();
  AnnouncedFigures figures;
  if (HasConfusion(output)) figures.classes = output.units;
  if (HasNumbers(output)) figures.numbers = output.units;
  figures.scores = ScoresOf(output);
  if (figures.scores > 0 && test_examples > MostScoredExamples(spec)) figures.scores = 0;
  return figures;
}

Status CheckWatchedScores(const JobSpec& spec, int64_t test_examples) {
  if (!WatchesScores(spec) || AnnouncedFiguresOf(spec, test_examples).scores > 0)
    return absl::OkStatus();
  return InvalidArgument({.message = absl::StrCat(spec.training.early_stopping->metric,
                                                  " of this model can be computed for at most ",
                                                  MostScoredExamples(spec),
                                                  " test examples, but there are ", test_examples),
                          .where = "training.early_stopping.metric",
                          .remedy = "Use a smaller test set, or another metric"});
}

bool HasFigure(const nn::Output& output, std::string_view metric) {
  if (metric == "loss") return true;
  if (IsMetricOfNumbers(metric)) return HasNumbers(output);
  if (NeedsScores(metric)) return ScoresOf(output) > 0;
  return HasAccuracy(output.loss) && (metric == "accuracy" || HasConfusion(output));
}

void CheckWatchedMetric(const JobSpec& spec, nn::Mistakes& mistakes) {
  const std::string& metric = spec.training.early_stopping->metric;
  const nn::Output output = spec.model.output();
  mistakes.SetWhere("training.early_stopping");
  if (HasFigure(output, metric)) return;
  std::vector<std::string> possible;
  for (const std::string_view known : kWatchedMetrics) {
    if (HasFigure(output, known)) possible.emplace_back(known);
  }
  const std::string loss(TagOf(output.loss));
  mistakes.Add(
      absl::StrCat("the evaluations of a job do not compute ", metric,
                   " of the last output, which "
                   "has ",
                   output.units, output.units == 1 ? " unit" : " units", " and the loss ", loss),
      absl::StrCat("Set metric to ", absl::StrJoin(possible, ", "),
                   "; dl-submit evaluate shows more figures of the trained model"));
}

}  // namespace dl::job

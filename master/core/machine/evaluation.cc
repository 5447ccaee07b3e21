#include "master/core/machine/evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "master/core/job/verify_sample.h"
#include "nn/metrics/agreement.h"

namespace dl::master {
namespace {

// Returns the figures that the sums give, without undefined ones, such as an area under a curve of
// a single class.
std::map<std::string, double> FiguresOf(const JobDefinition& definition,
                                        const nn::MetricSums& test) {
  std::map<std::string, double> figures;
  if (test.classes() > 0) {
    const nn::Agreement agreement = nn::AgreementOf(test);
    figures = {{"macro_precision", agreement.macro_precision},
               {"macro_recall", agreement.macro_recall},
               {"macro_f1", agreement.macro_f1},
               {"kappa", agreement.kappa},
               {"mcc", agreement.mcc}};
  }
  for (const char* name : {"r2", "mse", "mae", "roc_auc", "average_precision"}) {
    const double figure = nn::FigureOf(test, name, definition.number_units);
    if (!std::isnan(figure)) figures[name] = figure;
  }
  return figures;
}

}  // namespace

void Evaluation::OpenEvaluation(Job& job) {
  const JobDefinition& definition = job.definition;
  job.phase = Phase::kEvaluating;
  job.series.opened = step_.now;
  open_units_.Drop(job);
  const int64_t per_unit = definition.examples_per_evaluation_unit;
  job.units.reserve(static_cast<size_t>(definition.EvaluationUnits()));
  for (int32_t i = 0; i < static_cast<int32_t>(definition.EvaluationUnits()); ++i) {
    job.units.try_emplace(
        i, Unit({.id = {definition.id, UnitKind::kEvaluate, job.at, i},
                 .examples = std::min(per_unit, definition.test_examples - i * per_unit),
                 .verify = incarnation_.options.verify_sample &&
                           EvaluationIsSampled(definition, incarnation_.secret, job.at, i),
                 .deciders = &definition.verify_executors}));
  }
  job.UnitsChanged();
  jobs_.TouchUnits(job);
}

Status Evaluation::CloseEvaluation(Job& job) {
  uses_.trust.RecordConfirmations(job, job.at);
  const StatusOr<nn::MetricSums>& metrics = job.totals.metrics();
  if (!metrics.ok()) return WithContext(metrics.status(), "merging the evaluation");
  LogRecord record{.type = RecordType::kEvaluation, .round = job.at, .test = *metrics};
  uses_.timeline.RecordEvaluation(job, job.at);
  open_units_.Drop(job);
  const EarlyStoppingPolicy& policy = job.definition.early_stopping;
  const double judged = JudgedValue(job.definition, record.test);
  const std::map<std::string, double> figures = FiguresOf(job.definition, record.test);
  record.judged = JudgedValueToRecord(job.definition, record.test, judged);
  record.test.DropScores();  // their counts would make the record hundreds of times larger
  job.log.best = Judge(policy, job.log.best, job.at, judged);
  job.log.stop_decided = ShouldStop(policy, job.log.best);
  job.log.plateaus = Follow(job.definition.plateau, policy, job.log.plateaus, job.at, judged);
  record.best_value = job.log.best.value;
  record.best_round = job.log.best.round;
  record.epochs_without_gain = job.log.best.epochs_without_gain;
  record.stop = job.log.stop_decided ? 1 : 0;
  record.plateaus = job.log.plateaus.count;
  record.plateau_value = job.log.plateaus.best.value;
  record.plateau_round = job.log.plateaus.best.round;
  record.plateau_epochs = job.log.plateaus.best.epochs_without_gain;
  record.place = uses_.logs.AppendRecord(job, record);
  uses_.series.RecordEvaluation(job, record, figures);

  EpochEvent event{.epoch = job.definition.EpochOf(job.at) + 1,
                   .epochs = job.definition.epochs,
                   .round = job.at,
                   .train = MakeMetricsView(job.epoch_train),
                   .test = MakeMetricsView(record.test),
                   .figures = figures};
  if (policy.enabled && event.figures.contains(policy.metric)) event.watched = policy.metric;
  if (job.definition.plateau.enabled) event.plateaus = job.log.plateaus.count;
  job.log.TakeEvaluation(std::move(record));
  uses_.checkpoints.RecordEvaluation(job);
  step_.EmitEvent(job, std::move(event));
  return absl::OkStatus();
}

}  // namespace dl::master

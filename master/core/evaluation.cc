// The test set at an epoch's end: units on executors, sums of integers, one decision.
#include <algorithm>

#include "master/core/core.h"

namespace dl::master {

void Core::OpenEvaluation(Job& job) {
  const JobDefinition& definition = job.definition;
  job.phase = Phase::kEvaluating;
  job.units.clear();
  const int64_t per_unit = definition.examples_per_evaluation_unit;
  for (int32_t i = 0; i < static_cast<int32_t>(definition.EvaluationUnits()); ++i) {
    job.units.emplace(i,
                      Unit({.id = {definition.id, UnitKind::kEvaluate, job.at, i},
                            .examples = std::min(per_unit, definition.test_examples - i * per_unit),
                            .deciders = &definition.verify_executors}));
  }
  job.UnitsChanged();
  TouchUnits(job);
}

void Core::CloseEvaluation(Job& job) {
  LogRecord record{.type = RecordType::kEvaluation, .round = job.at};
  for (const auto& [index, unit] : job.units) {
    NoteUnverified(job, unit, job.at);
    if (Status status = record.test.Merge(unit.result.metrics); !status.ok()) {
      Fail(job, Reason::kUnitFailed, WithContext(status, "merging the evaluation"));
      return;
    }
  }
  PersistUnverified(job);
  AbandonUnits(job);
  job.units.clear();
  job.UnitsChanged();
  job.best = Judge(job.definition.early_stopping, job.best, job.at,
                   JudgedValue(job.definition.early_stopping, record.test));
  job.stop_decided = ShouldStop(job.definition.early_stopping, job.best);
  record.best_value = job.best.value;
  record.best_round = job.best.round;
  record.epochs_without_gain = job.best.epochs_without_gain;
  record.stop = job.stop_decided ? 1 : 0;
  record.place = AppendRecord(job, record);

  Json test = {{"loss", record.test.loss()}};
  if (record.test.has_accuracy()) test["accuracy"] = record.test.accuracy();
  Json train = {{"loss", job.epoch_train.loss()}};
  if (job.epoch_train.has_accuracy()) train["accuracy"] = job.epoch_train.accuracy();
  job.TakeEvaluation(std::move(record));
  NoteEvaluation(job);
  EmitEvent(job, {{"type", "epoch"},
                  {"epoch", job.definition.EpochOf(job.at) + 1},
                  {"epochs", job.definition.epochs},
                  {"round", job.at},
                  {"train", train},
                  {"test", test}});
  Advance(job);
}

}  // namespace dl::master

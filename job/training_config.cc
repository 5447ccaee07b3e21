#include "job/training_config.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/limits.h"

namespace dl::job {
namespace {

constexpr size_t kLongestName = 40;

std::string_view StoppingModeName(StoppingMode mode) {
  switch (mode) {
    case StoppingMode::kAuto:
      return "auto";
    case StoppingMode::kMinimize:
      return "minimize";
    case StoppingMode::kMaximize:
      return "maximize";
  }
  return "unknown";
}

Json ToJson(const CheckpointConf& conf) {
  return {{"every_rounds", conf.every_rounds},
          {"every_seconds", conf.every_seconds},
          {"every_epoch", conf.every_epoch},
          {"keep_last", conf.keep_last},
          {"keep_best", conf.keep_best}};
}

void ReadCheckpoint(JsonObjectReader& parent, CheckpointConf& out) {
  const Json* json = parent.Child("checkpoint");
  if (json == nullptr) return;
  JsonObjectReader reader(*json, parent.PathOf("checkpoint"));
  reader.Int("every_rounds", out.every_rounds);
  reader.Int("every_seconds", out.every_seconds);
  reader.Bool("every_epoch", out.every_epoch);
  reader.Int("keep_last", out.keep_last);
  reader.Int("keep_best", out.keep_best);
  parent.AddErrors(reader.Finish());
}

void ReadEvaluation(JsonObjectReader& parent, EvaluationConf& out) {
  const Json* json = parent.Child("evaluation");
  if (json == nullptr) return;
  JsonObjectReader reader(*json, parent.PathOf("evaluation"));
  reader.Bool("every_epoch", out.every_epoch);
  reader.Int("batch_size", out.batch_size);
  parent.AddErrors(reader.Finish());
}

Json ToJson(const EarlyStoppingConf& conf) {
  return {{"metric", conf.metric},
          {"mode", StoppingModeName(conf.mode)},
          {"patience", conf.patience},
          {"min_delta", conf.min_delta}};
}

void ReadEarlyStopping(JsonObjectReader& parent, std::optional<EarlyStoppingConf>& out) {
  const Json* json = parent.Child("early_stopping");
  if (json == nullptr || json->is_null()) return;
  JsonObjectReader reader(*json, parent.PathOf("early_stopping"));
  EarlyStoppingConf& conf = out.emplace();
  std::string mode(StoppingModeName(conf.mode));
  reader.OneOf("metric", conf.metric, std::span(kWatchedMetrics));
  reader.OneOf("mode", mode, {"auto", "minimize", "maximize"});
  for (StoppingMode known :
       {StoppingMode::kAuto, StoppingMode::kMinimize, StoppingMode::kMaximize}) {
    if (StoppingModeName(known) == mode) conf.mode = known;
  }
  reader.Int("patience", conf.patience);
  reader.Double("min_delta", conf.min_delta);
  parent.AddErrors(reader.Finish());
}

}  // namespace

std::string_view UpdaterStateName(UpdaterState policy) {
  switch (policy) {
    case UpdaterState::kAverage:
      return "average";
    case UpdaterState::kReset:
      return "reset";
    case UpdaterState::kKeep:
      return "keep";
  }
  return "unknown";
}

std::string_view ShuffleModeName(ShuffleMode mode) {
  switch (mode) {
    case ShuffleMode::kGlobal:
      return "global";
    case ShuffleMode::kPartition:
      return "partition";
    case ShuffleMode::kStream:
      return "stream";
  }
  return "unknown";
}

bool EarlyStoppingConf::Maximizes() const {
  if (mode != StoppingMode::kAuto) return mode == StoppingMode::kMaximize;
  return metric != "loss" && metric != "mse" && metric != "mae";
}

void CheckTraining(const TrainingConfig& training, nn::Mistakes& mistakes) {
  mistakes.SetWhere("training");
  mistakes.Range("epochs", training.epochs, 1, limits::kMaxEpochs);
  mistakes.Range("workers", training.workers, 1, limits::kMaxWorkers);
  mistakes.Range("batch_size", training.batch_size, 1, limits::kMaxBatchSize);
  mistakes.Range("micro_batch_size", training.micro_batch_size, 0, limits::kMaxBatchSize);
  mistakes.Range("averaging_frequency", training.averaging_frequency, 1,
                 limits::kMaxAveragingFrequency);
  CheckStrategy(training.strategy, mistakes);
  mistakes.Range("ema_decay", training.ema_decay, 0.0, 0.999999);
  mistakes.Range("prefetch_batches", training.prefetch_batches, 0, limits::kMaxPrefetchBatches);
  mistakes.Range("threads_per_worker", training.threads_per_worker, 1,
                 limits::kMaxThreadsPerWorker);
  mistakes.Range("verify_fraction", training.verify_fraction, 0.0, 1.0);
  mistakes.Range("lease_seconds", training.lease_seconds, 1, limits::kMaxLeaseSeconds);
  mistakes.Range("progress_seconds", training.progress_seconds, 1, limits::kMaxLeaseSeconds);
  if (training.verify_executors.size() > static_cast<size_t>(limits::kMaxExecutors)) {
    mistakes.Add("verify_executors has too many names",
                 absl::StrCat("Name at most ", limits::kMaxExecutors));
  }
  for (const std::string& name : training.verify_executors) {
    if (!name.empty() && name.size() <= static_cast<size_t>(limits::kMaxShortText)) continue;
    mistakes.Add(
        absl::StrCat("verify_executors has \"", absl::CHexEscape(name.substr(0, kLongestName)),
                     "\""),
        "Give names of executors, as dl-submit executor --name or the master's status has them");
  }
  if (training.isa != "" && training.isa != "avx2" && training.isa != "avx512") {
    mistakes.Add(
        absl::StrCat("isa is \"", absl::CHexEscape(training.isa.substr(0, kLongestName)), "\""),
        "Use \"avx2\", \"avx512\", or \"\" for the lowest that all executors have");
  }
  const CheckpointConf& checkpoint = training.checkpoint;
  mistakes.Range("checkpoint.every_rounds", checkpoint.every_rounds, 0, INT32_MAX);
  mistakes.Range("checkpoint.every_seconds", checkpoint.every_seconds, 0, INT32_MAX);
  mistakes.Range("checkpoint.keep_last", checkpoint.keep_last, 1, limits::kMaxKeptCheckpoints);
  mistakes.Range("checkpoint.keep_best", checkpoint.keep_best, 0, limits::kMaxKeptCheckpoints);
  mistakes.Range("evaluation.batch_size", training.evaluation.batch_size, 1, limits::kMaxBatchSize);
  if (!training.early_stopping) return;
  const EarlyStoppingConf& stopping = *training.early_stopping;
  if (std::ranges::find(kWatchedMetrics, stopping.metric) == std::end(kWatchedMetrics)) {
    const std::vector<std::string> known(std::begin(kWatchedMetrics), std::end(kWatchedMetrics));
    mistakes.Add(absl::StrCat("early_stopping.metric is \"", stopping.metric, "\""),
                 absl::StrCat("Use one of ", absl::StrJoin(known, ", ")));
  }
  mistakes.Range("early_stopping.patience", stopping.patience, 1, limits::kMaxEpochs);
  mistakes.Range("early_stopping.min_delta", stopping.min_delta, 0.0, 1e30);
  if (!training.evaluation.every_epoch) {
    mistakes.Add("early stopping needs an evaluation after every epoch",
                 "Set training.evaluation.every_epoch to true");
  }
}

Json ToJson(const TrainingConfig& training) {
  return {{"epochs", training.epochs},
          {"workers", training.workers},
          {"batch_size", training.batch_size},
          {"micro_batch_size", training.micro_batch_size},
          {"averaging_frequency", training.averaging_frequency},
          {"strategy", ToJson(training.strategy)},
          {"ema_decay", training.ema_decay},
          {"updater_state", UpdaterStateName(training.updater_state)},
          {"shuffle", ShuffleModeName(training.shuffle)},
          {"target_normalizer", NormalizerName(training.target_normalizer)},
          {"prefetch_batches", training.prefetch_batches},
          {"threads_per_worker", training.threads_per_worker},
          {"isa", training.isa},
          {"verify_fraction", training.verify_fraction},
          {"verify_executors", training.verify_executors},
          {"lease_seconds", training.lease_seconds},
          {"progress_seconds", training.progress_seconds},
          {"checkpoint", ToJson(training.checkpoint)},
          {"evaluation",
           {{"every_epoch", training.evaluation.every_epoch},
            {"batch_size", training.evaluation.batch_size}}},
          {"early_stopping", training.early_stopping ? ToJson(*training.early_stopping) : Json()}};
}

TrainingConfig TrainingFromJson(const Json& json, const std::string& path, nn::Mistakes& mistakes) {
  TrainingConfig out;
  JsonObjectReader reader(json, path);
  reader.Int("epochs", out.epochs);
  reader.Int("workers", out.workers);
  reader.Int("batch_size", out.batch_size);
  reader.Int("micro_batch_size", out.micro_batch_size);
  reader.Int("averaging_frequency", out.averaging_frequency);
  ReadValue(reader, "strategy", out.strategy);
  reader.Double("ema_decay", out.ema_decay);
  std::string policy(UpdaterStateName(out.updater_state));
  reader.OneOf("updater_state", policy, {"average", "reset", "keep"});
  for (UpdaterState known : {UpdaterState::kAverage, UpdaterState::kReset, UpdaterState::kKeep}) {
    if (UpdaterStateName(known) == policy) out.updater_state = known;
  }
  std::string shuffle(ShuffleModeName(out.shuffle));
  reader.OneOf("shuffle", shuffle, {"global", "partition", "stream"});
  for (ShuffleMode known : {ShuffleMode::kGlobal, ShuffleMode::kPartition, ShuffleMode::kStream}) {
    if (ShuffleModeName(known) == shuffle) out.shuffle = known;
  }
  ReadNormalizer(reader, "target_normalizer", out.target_normalizer);
  reader.Int("prefetch_batches", out.prefetch_batches);
  reader.Int("threads_per_worker", out.threads_per_worker);
  reader.String("isa", out.isa);  // checked by CheckTraining
  reader.Double("verify_fraction", out.verify_fraction);
  reader.StringList("verify_executors", out.verify_executors);
  reader.Int("lease_seconds", out.lease_seconds);
  reader.Int("progress_seconds", out.progress_seconds);
  ReadCheckpoint(reader, out.checkpoint);
  ReadEvaluation(reader, out.evaluation);
  ReadEarlyStopping(reader, out.early_stopping);
  (void)reader.Finish();
  for (const std::string& line : reader.errors()) mistakes.AddLine(line);
  return out;
}

}  // namespace dl::job

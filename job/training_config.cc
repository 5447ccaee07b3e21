#include "job/training_config.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "nn/conf/object_field.h"

namespace dl::job {
namespace {

// Values of `isa`. "": the best that all registered executors have.
constexpr std::string_view kIsas[] = {"", "avx2", "avx512"};

std::string_view StoppingModeName(StoppingMode mode) {
  switch (mode) {
    case StoppingMode::kAuto:
      return "auto";
    case StoppingMode::kMinimize:
      return "minimize";
    case StoppingMode::kMaximize:
      return "maximize";
  }
  return nn::kNoTag;
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
  return nn::kNoTag;
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
  return nn::kNoTag;
}

bool EarlyStoppingConf::Maximizes() const {
  if (mode != StoppingMode::kAuto) return mode == StoppingMode::kMaximize;
  return metric != "loss" && metric != "mse" && metric != "mae";
}

// ---- Keys.

template <typename Self, typename Visit>
void CheckpointConf::Fields(Self& self, Visit&& visit) {
  visit(
      nn::Field{
          .key = "every_rounds",
          .unit = "rounds",
          .max = INT32_MAX,
          .meaning =
              "Rounds between checkpoints, at least: with rounds that are shorter than the writing "
              "of a checkpoint some are passed over, as one is written at a time; 0 = not by "
              "rounds"},
      self.every_rounds);
  visit(nn::Field{.key = "every_seconds",
                  .unit = "s",
                  .max = INT32_MAX,
                  .meaning = "Seconds between checkpoints; 0 = not by time"},
        self.every_seconds);
  visit(nn::Field{.key = "every_epoch", .meaning = "Whether each epoch's end is a checkpoint"},
        self.every_epoch);
  visit(nn::Field{.key = "keep_last",
                  .unit = "checkpoints",
                  .min = 1,
                  .max = limits::kMaxKeptCheckpoints,
                  .meaning = "Newest checkpoints that are kept"},
        self.keep_last);
  visit(
      nn::Field{
          .key = "keep_best",
          .unit = "checkpoints",
          .max = limits::kMaxKeptCheckpoints,
          .meaning =
              "Best checkpoints that are kept, by the early stopping metric, else the test loss"},
      self.keep_best);
}

template <typename Self, typename Visit>
void EvaluationConf::Fields(Self& self, Visit&& visit) {
  visit(nn::Field{.key = "every_epoch", .meaning = "After every epoch; false = once, at the end"},
        self.every_epoch);
  visit(nn::Field{.key = "batch_size",
                  .unit = "examples",
                  .min = 1,
                  .max = limits::kMaxBatchSize,
                  .meaning = "Examples per step of an evaluation"},
        self.batch_size);
}

template <typename Self, typename Visit>
void EarlyStoppingConf::Fields(Self& self, Visit&& visit) {
  visit(
      nn::Field{
          .key = "metric",
          .choices = kWatchedMetrics,
          .meaning =
              "Figure of the test set that early stopping, the best checkpoint and a plateau go "
              "by. accuracy to mcc take classes, all but accuracy at most 128; roc_auc and "
              "average_precision two classes, or binary_cross_entropy with one unit; r2, mse and "
              "mae the losses mean_squared_error, mean_absolute_error and huber, with at most 64 "
              "units"},
      self.metric);
  visit(
      nn::Field{
          .key = "mode",
          .meaning = "Direction of better; auto = minimize loss, mse and mae, maximize the others"},
      self.mode);
  visit(nn::Field{.key = "patience",
                  .unit = "epochs",
                  .min = 1,
                  .max = limits::kMaxEpochs,
                  .meaning = "Epochs in a row without an improvement"},
        self.patience);
  visit(nn::Field{.key = "min_delta", .max = 1e30, .meaning = "An improvement is more than this"},
        self.min_delta);
}

template <typename Self, typename Visit>
void TrainingConfig::Fields(Self& self, Visit&& visit) {
  visit(nn::Field{.key = "epochs",
                  .unit = "epochs",
                  .min = 1,
                  .max = limits::kMaxEpochs,
                  .meaning = "Passes over the training set"},
        self.epochs);
  visit(
      nn::Field{.key = "workers",
                .unit = "workers",
                .min = 1,
                .max = limits::kMaxWorkers,
                .meaning =
                    "M, the logical workers: part of the result, whatever number of executors runs "
                    "them"},
      self.workers);
  visit(nn::Field{.key = "batch_size",
                  .unit = "examples",
                  .min = 1,
                  .max = limits::kMaxBatchSize,
                  .meaning = "Examples per worker and step"},
        self.batch_size);
  visit(
      nn::Field{
          .key = "micro_batch_size",
          .unit = "examples",
          .max = limits::kMaxBatchSize,
          .meaning =
              "Examples that are computed at once: a minibatch goes in parts of so many, whose "
              "gradients are added, in less memory; batch normalization sees each part by "
              "itself; 0 = all"},
      self.micro_batch_size);
  visit(nn::Field{.key = "averaging_frequency",
                  .unit = "steps",
                  .min = 1,
                  .max = limits::kMaxAveragingFrequency,
                  .meaning = "H, the steps of each worker between two merges"},
        self.averaging_frequency);
  visit(
      nn::Field{
          .key = "ema_decay",
          .max = 0.999999,
          .meaning =
              "Share of a moving average of weights that a round keeps; evaluations, predict, "
              "export and --init-from take the average; 0 = there is none"},
      self.ema_decay);
  visit(nn::Field{.key = "strategy", .meaning = "What the contributions of a round become"},
        self.strategy);
  visit(nn::Field{.key = "updater_state", .meaning = "What becomes of updater state at a merge"},
        self.updater_state);
  visit(
      nn::Field{
          .key = "shuffle",
          .meaning =
              "Whether an epoch permutes all examples, or each worker its own; stream: in each row "
              "of a worker's minibatches follows what stands behind it in the data"},
      self.shuffle);
  visit(
      nn::Field{
          .key = "target_normalizer",
          .meaning =
              "How numbers to predict are shifted and scaled for training, fitted on the training "
              "set at import. Applies to outputs with the losses mean_squared_error, "
              "mean_absolute_error and huber. Losses are those of scaled numbers; predictions "
              "and the errors that evaluate reports are in the data's unit"},
      self.target_normalizer);
  visit(nn::Field{.key = "prefetch_batches",
                  .unit = "batches",
                  .max = limits::kMaxPrefetchBatches,
                  .meaning = "Batches prepared ahead; 0 = off; not part of the result"},
        self.prefetch_batches);
  visit(nn::Field{.key = "threads_per_worker",
                  .unit = "threads",
                  .min = 1,
                  .max = limits::kMaxThreadsPerWorker,
                  .meaning = "Threads that compute one unit"},
        self.threads_per_worker);
  visit(nn::Field{.key = "isa",
                  .choices = kIsas,
                  .meaning =
                      "Instruction set of the kernels; empty = the lowest common to the registered "
                      "executors"},
        self.isa);
  visit(
      nn::Field{.key = "verify_fraction",
                .max = 1,
                .meaning = "Share of the units that are computed twice to find silent corruption"},
      self.verify_fraction);
  visit(
      nn::Field{.key = "verify_executors",
                .max = limits::kMaxShortText,
                .meaning =
                    "Executors whose word decides where results differ, and who compute the second "
                    "result of a sampled unit; empty = the majority of all"},
      self.verify_executors);
  visit(nn::Field{.key = "lease_seconds",
                  .unit = "s",
                  .min = 1,
                  .max = limits::kMaxLeaseSeconds,
                  .meaning = "An executor that is silent for so long loses its unit"},
        self.lease_seconds);
  visit(
      nn::Field{
          .key = "progress_seconds",
          .unit = "s",
          .min = 1,
          .max = limits::kMaxLeaseSeconds,
          .meaning =
              "A unit that shows no progress (a step, bytes) for so long goes to another "
              "executor; never less than ten times what units of the job take. Raise it where "
              "one step takes longer"},
      self.progress_seconds);
  visit(nn::Field{.key = "checkpoint", .meaning = "When checkpoints are written and kept"},
        self.checkpoint);
  visit(nn::Field{.key = "evaluation", .meaning = "When the test set is measured"},
        self.evaluation);
  visit(
      nn::Field{
          .key = "early_stopping",
          .meaning =
              "Ends the job when the test set stops improving; null = off; needs `data.test` or "
              "`data.split`"},
      self.early_stopping);
}

// ---- Operations on members (nn/conf/field.h).

void ReadValue(JsonObjectReader& reader, std::string_view key, UpdaterState& out) {
  nn::ReadChoice(reader, key, out, UpdaterStateName);
}
Json ToJson(UpdaterState value) { return std::string(UpdaterStateName(value)); }
void CheckValue(const nn::Field&, UpdaterState, nn::Mistakes&) {}
void DescribeValue(const nn::Field& field, UpdaterState value, std::vector<nn::KeyRow>& rows) {
  nn::DescribeChoice(field, value, UpdaterStateName, rows);
}

void ReadValue(JsonObjectReader& reader, std::string_view key, ShuffleMode& out) {
  nn::ReadChoice(reader, key, out, ShuffleModeName);
}
Json ToJson(ShuffleMode value) { return std::string(ShuffleModeName(value)); }
void CheckValue(const nn::Field&, ShuffleMode, nn::Mistakes&) {}
void DescribeValue(const nn::Field& field, ShuffleMode value, std::vector<nn::KeyRow>& rows) {
  nn::DescribeChoice(field, value, ShuffleModeName, rows);
}

void ReadValue(JsonObjectReader& reader, std::string_view key, StoppingMode& out) {
  nn::ReadChoice(reader, key, out, StoppingModeName);
}
Json ToJson(StoppingMode value) { return std::string(StoppingModeName(value)); }
void CheckValue(const nn::Field&, StoppingMode, nn::Mistakes&) {}
void DescribeValue(const nn::Field& field, StoppingMode value, std::vector<nn::KeyRow>& rows) {
  nn::DescribeChoice(field, value, StoppingModeName, rows);
}

void ReadValue(JsonObjectReader& parent, std::string_view key, CheckpointConf& out) {
  nn::ReadObject(parent, key, out);
}
Json ToJson(const CheckpointConf& value) { return nn::ObjectToJson(value); }
void CheckValue(const nn::Field& field, const CheckpointConf& value, nn::Mistakes& mistakes) {
  nn::CheckObject(field, value, mistakes);
}
void DescribeValue(const nn::Field& field, const CheckpointConf& value,
                   std::vector<nn::KeyRow>& rows) {
  nn::DescribeObject(field, value, rows);
}

void ReadValue(JsonObjectReader& parent, std::string_view key, EvaluationConf& out) {
  nn::ReadObject(parent, key, out);
}
Json ToJson(const EvaluationConf& value) { return nn::ObjectToJson(value); }
void CheckValue(const nn::Field& field, const EvaluationConf& value, nn::Mistakes& mistakes) {
  nn::CheckObject(field, value, mistakes);
}
void DescribeValue(const nn::Field& field, const EvaluationConf& value,
                   std::vector<nn::KeyRow>& rows) {
  nn::DescribeObject(field, value, rows);
}

void ReadValue(JsonObjectReader& parent, std::string_view key, EarlyStoppingConf& out) {
  nn::ReadObject(parent, key, out);
}
Json ToJson(const EarlyStoppingConf& value) { return nn::ObjectToJson(value); }
void CheckValue(const nn::Field& field, const EarlyStoppingConf& value, nn::Mistakes& mistakes) {
  nn::CheckObject(field, value, mistakes);
}
void DescribeValue(const nn::Field& field, const EarlyStoppingConf& value,
                   std::vector<nn::KeyRow>& rows) {
  nn::DescribeObject(field, value, rows);
}

void CheckTraining(const TrainingConfig& training, nn::Mistakes& mistakes) {
  mistakes.SetWhere("training");
  nn::CheckKeys("", training, mistakes);
  if (training.verify_executors.size() > static_cast<size_t>(limits::kMaxExecutors)) {
    mistakes.Add("verify_executors has too many names",
                 absl::StrCat("Name at most ", limits::kMaxExecutors));
  }
  if (training.early_stopping && !training.evaluation.every_epoch) {
    mistakes.Add("early stopping needs an evaluation after every epoch",
                 "Set training.evaluation.every_epoch to true");
  }
}

Json ToJson(const TrainingConfig& training) { return nn::ObjectToJson(training); }

TrainingConfig TrainingFromJson(const Json& json, const std::string& path, nn::Mistakes& mistakes) {
  TrainingConfig out;
  JsonObjectReader reader(json, path);
  nn::ReadFields(reader, nn::MembersOf(out));
  (void)reader.Finish();
  for (const std::string& line : reader.errors()) mistakes.AddLine(line);
  return out;
}

std::vector<nn::KeyRow> TrainingKeys() {
  std::vector<nn::KeyRow> rows;
  nn::DescribeObject({.key = "training", .meaning = "How the job trains"}, TrainingConfig(), rows);
  return rows;
}

}  // namespace dl::job

#include "job/training_config.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "nn/conf/contract_id.h"
#include "nn/conf/members.h"

namespace dl::job {
namespace {

// Values of `isa`. "": the executors that are registered when the job starts decide.
constexpr auto kIsas = [] {
  std::array<std::string_view, std::size(nn::kInstructionSets) + 1> names;
  std::ranges::transform(nn::kInstructionSets, names.begin() + 1, &nn::InstructionSet::name);
  return names;
}();

// Checks that the settings that choose kernels fit together.
void CheckKernels(const TrainingConfig& training, nn::Mistakes& mistakes) {
  if (training.kernels == nn::KernelSet::kPortable) {
    if (!training.isa.empty()) {
      mistakes.Add(absl::StrCat("isa is ", training.isa,
                                ", but kernels is portable, whose results "
                                "do not depend on an instruction set"),
                   "Leave out isa, or use kernels native");
    }
    if (training.precision != nn::Precision::kFloat32) {
      mistakes.Add(
          "precision is bf16, but kernels is portable, which computes in float32, because "
          "CPUs of different kinds add products of bf16 in different orders",
          "Leave out precision, or use kernels native");
    }
    return;
  }
  const bool is_known = nn::RankOfIsa(training.isa) < std::size(nn::kInstructionSets);
  if (is_known && !nn::ComputesIn(training.isa, training.precision)) {
    const std::string precision(nn::WordOf(training.precision));
    mistakes.Add(
        absl::StrCat("isa is ", training.isa, ", which does not compute in precision ", precision),
        absl::StrCat("Leave out isa, or use ", nn::IsasOf(training.precision)));
  }
}

}  // namespace

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
              "Writes a checkpoint after each round whose number is a multiple of this; 0 = not by "
              "rounds. Only one checkpoint is written at a time, so short rounds may skip some"},
      self.every_rounds);
  visit(nn::Field{.key = "every_seconds",
                  .unit = "s",
                  .max = INT32_MAX,
                  .meaning = "Writes a checkpoint if this time has passed since the last one "
                             "began; 0 = not by time"},
        self.every_seconds);
  visit(nn::Field{.key = "every_epoch", .meaning = "Whether each epoch ends with a checkpoint"},
        self.every_epoch);
  visit(nn::Field{.key = "keep_last",
                  .unit = "checkpoints",
                  .min = 1,
                  .max = limits::kMaxKeptCheckpoints,
                  .meaning = "Number of newest checkpoints to keep"},
        self.keep_last);
  visit(nn::Field{.key = "keep_best",
                  .unit = "checkpoints",
                  .max = limits::kMaxKeptCheckpoints,
                  .meaning = "Number of best checkpoints to keep, by the early stopping metric, "
                             "otherwise by the test loss; none without a test set"},
        self.keep_best);
}

template <typename Self, typename Visit>
void EvaluationConf::Fields(Self& self, Visit&& visit) {
  visit(nn::Field{.key = "every_epoch",
                  .meaning = "Whether to evaluate after every epoch; `false` = once, at the end"},
        self.every_epoch);
  visit(nn::Field{.key = "batch_size",
                  .unit = "examples",
                  .min = 1,
                  .max = limits::kMaxBatchSize,
                  .meaning = "Number of examples per step of an evaluation"},
        self.batch_size);
}

template <typename Self, typename Visit>
void StatisticsConf::Fields(Self& self, Visit&& visit) {
  visit(
      nn::Field{.key = "every_rounds",
                .unit = "rounds",
                .max = INT32_MAX,
                .meaning = "Records [histograms](operations/watch.md#histograms) of each layer in "
                           "round 1 and then after every this many rounds; 0 = off. Does not "
                           "change the result"},
      self.every_rounds);
}

template <typename Self, typename Visit>
void EarlyStoppingConf::Fields(Self& self, Visit&& visit) {
  visit(nn::Field{.key = "metric",
                  .choices = kWatchedMetrics,
                  .meaning = "[Metric](#figures-on-a-cluster) of the test set that decides about "
                             "early stopping, the best checkpoint and a plateau"},
        self.metric);
  visit(nn::Field{.key = "mode",
                  .meaning = "Direction of improvement; auto = minimize loss, mse and mae, "
                             "maximize other metrics"},
        self.mode);
  visit(
      nn::Field{.key = "patience",
                .unit = "epochs",
                .min = 1,
                .max = limits::kMaxEpochs,
                .meaning = "Number of consecutive epochs without an improvement that ends the job"},
      self.patience);
  visit(
      nn::Field{
          .key = "min_delta", .max = 1e30, .meaning = "An improvement must be larger than this"},
      self.min_delta);
}

template <typename Self, typename Visit>
void TrainingConfig::Fields(Self& self, Visit&& visit) {
  visit(nn::Field{.key = "epochs",
                  .unit = "epochs",
                  .min = 1,
                  .max = limits::kMaxEpochs,
                  .meaning = "Number of passes over the training set"},
        self.epochs);
  visit(nn::Field{.key = "workers",
                  .unit = "workers",
                  .min = 1,
                  .max = limits::kMaxWorkers,
                  .meaning = "M, the number of logical workers. Changes the result; does not "
                             "depend on the number of executors"},
        self.workers);
  visit(nn::Field{.key = "batch_size",
                  .unit = "examples",
                  .min = 1,
                  .max = limits::kMaxBatchSize,
                  .meaning = "Number of examples per worker and step"},
        self.batch_size);
  visit(
      nn::Field{.key = "micro_batch_size",
                .unit = "examples",
                .max = limits::kMaxBatchSize,
                .meaning =
                    "Examples computed at once, to save memory; gradients of the parts are added. "
                    "Batch normalization uses each part separately. 0 = the whole minibatch"},
      self.micro_batch_size);
  visit(nn::Field{.key = "checkpoint_activations",
                  .meaning = "Keep only some activations, and compute the others [again](#"
                             "less-memory-for-activations) for the gradients. Needs less memory "
                             "and more time. Never changes the result"},
        self.checkpoint_activations);
  visit(nn::Field{.key = "averaging_frequency",
                  .unit = "steps",
                  .min = 1,
                  .max = limits::kMaxAveragingFrequency,
                  .meaning = "H, the number of steps of each worker between two merges"},
        self.averaging_frequency);
  visit(nn::Field{.key = "ema_decay",
                  .max = 0.999999,
                  .meaning = "Decay per round of a moving average of weights. Evaluations, "
                             "predict, export and --init-from use the average. 0 = no average"},
        self.ema_decay);
  visit(nn::Field{.key = "strategy",
                  .meaning = "Rule that makes the next state from the contributions of a round"},
        self.strategy);
  visit(nn::Field{.key = "updater_state",
                  .meaning = "Updater state at a merge: `average` = averaged like parameters, "
                             "`reset` = set to 0, `keep` = each worker keeps its own"},
        self.updater_state);
  visit(nn::Field{.key = "shuffle",
                  .meaning =
                      "`global` = permute all examples, `partition` = each worker permutes its "
                      "own, `stream` = keep the order of the data in each row of the minibatches"},
        self.shuffle);
  visit(nn::Field{.key = "target_normalizer",
                  .meaning =
                      "[Scaling](#numbers-to-predict) of numbers to predict, fitted at import. "
                      "Applies to the losses mean_squared_error, mean_absolute_error and huber"},
        self.target_normalizer);
  visit(
      nn::Field{
          .key = "prefetch_batches",
          .unit = "batches",
          .max = limits::kMaxPrefetchBatches,
          .meaning =
              "Number of minibatches prepared in advance; 0 = off. Does not change the result"},
      self.prefetch_batches);
  visit(nn::Field{.key = "threads_per_worker",
                  .unit = "threads",
                  .min = 1,
                  .max = limits::kMaxThreadsPerWorker,
                  .meaning = "Number of threads that compute one unit"},
        self.threads_per_worker);
  visit(nn::Field{.key = "kernels",
                  .meaning = "`native` = the fastest kernels of the machine; `portable` = slower "
                             "kernels that give the same bits on every CPU and with any number of "
                             "threads, in float32"},
        self.kernels);
  visit(
      nn::Field{.key = "precision",
                .meaning = "Type of activations and of the factors of products; bf16 is faster on "
                           "CPUs with AMX or AVX-512 bf16, and impossible on others. Weights stay "
                           "in float32"},
      self.precision);
  visit(nn::Field{.key = "isa",
                  .choices = kIsas,
                  .meaning = "Instruction set of the kernels: avx2 or avx512 for float32, "
                             "avx512_bf16 or amx for bf16; empty = the lowest that executors "
                             "offer, but a contract that two executors offer comes first"},
        self.isa);
  visit(nn::Field{.key = "verify_fraction",
                  .max = 1,
                  .meaning = "Fraction of units whose result a second result must confirm, to find "
                             "silent corruption. No effect in local[N]"},
        self.verify_fraction);
  visit(
      nn::Field{
          .key = "verify_executors",
          .max = limits::kMaxShortText,
          .meaning =
              "Names of the executors that confirm sampled units: one of them computes the first "
              "or "
              "the second result, and only theirs count if results differ; empty = any executor, "
              "and the majority decides"},
      self.verify_executors);
  visit(nn::Field{.key = "lease_seconds",
                  .unit = "s",
                  .min = 1,
                  .max = limits::kMaxLeaseSeconds,
                  .meaning =
                      "An executor without a heartbeat for this time loses its units of the job"},
        self.lease_seconds);
  visit(nn::Field{.key = "progress_seconds",
                  .unit = "s",
                  .min = 1,
                  .max = limits::kMaxLeaseSeconds,
                  .meaning = "A unit without progress (steps, bytes) for this time, or for ten "
                             "times the duration of a unit if that is longer, goes to another "
                             "executor. Increase it if a step takes longer"},
        self.progress_seconds);
  visit(nn::Field{.key = "checkpoint", .meaning = "Times and retention of checkpoints"},
        self.checkpoint);
  visit(nn::Field{.key = "evaluation", .meaning = "Times of evaluations on the test set"},
        self.evaluation);
  visit(nn::Field{.key = "statistics", .meaning = "Records of the model besides the result"},
        self.statistics);
  visit(nn::Field{.key = "early_stopping",
                  .meaning = "Ends the job if the metric stops improving; null = off. Requires "
                             "`data.test` or `data.split`, and `evaluation.every_epoch`"},
        self.early_stopping);
}

void CheckTraining(const TrainingConfig& training, nn::Mistakes& mistakes) {
  mistakes.SetWhere("training");
  nn::CheckFieldsByKey("", nn::MembersOf(training), mistakes);
  if (training.verify_executors.size() > static_cast<size_t>(limits::kMaxExecutors)) {
    mistakes.Add("verify_executors has too many names",
                 absl::StrCat("Name at most ", limits::kMaxExecutors));
  }
  CheckKernels(training, mistakes);
  if (training.early_stopping && !training.evaluation.every_epoch) {
    mistakes.Add("early stopping needs an evaluation after every epoch",
                 "Set training.evaluation.every_epoch to true");
  }
}

Json ToJson(const TrainingConfig& training) { return nn::ToJson<TrainingConfig>(training); }

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
  nn::DescribeValue(nn::Field{.key = "training", .meaning = "Training settings"}, TrainingConfig(),
                    rows);
  return rows;
}

}  // namespace dl::job

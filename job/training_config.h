// Training configuration of a job: parameter averaging, checkpoints, evaluation. It is part of the
// spec and does not change after submission.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "job/job_words.h"
#include "job/normalizer_choice.h"
#include "job/strategy_conf.h"
#include "nn/conf/kernel_set.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"
#include "nn/conf/precision.h"

namespace dl::job {

// Treatment of updater state at a merge: it is averaged like parameters, set to zero, or kept
// separately by each worker.
enum class UpdaterState : uint8_t { kAverage, kReset, kKeep };
template <>
struct WordsOf<UpdaterState> {
  static constexpr std::string_view kWords[] = {"average", "reset", "keep"};
};

// Order of examples. kGlobal: each epoch permutes all examples. kPartition: each worker keeps its
// examples, and only their order changes. kStream: each row of a worker's minibatches continues in
// the data where its previous example ended, as stateful models need it (dataset/epoch_order.h).
enum class ShuffleMode : uint8_t { kGlobal, kPartition, kStream };
template <>
struct WordsOf<ShuffleMode> {
  static constexpr std::string_view kWords[] = {"global", "partition", "stream"};
};

// When checkpoints are written, and how many are kept. Independently of these settings, a job
// writes a checkpoint of its last round before it succeeds, pauses or is cancelled. A pause or
// cancellation continues without it if the disk is full. Pinned checkpoints are kept as well.
struct CheckpointConf {
  // Writes a checkpoint after each round whose number is a multiple of this, 0 to INT32_MAX. 0: not
  // by rounds. Only one checkpoint is written at a time. If it takes longer than the rounds, some
  // checkpoints are left out.
  int64_t every_rounds = 0;
  // Writes a checkpoint of the last round when this number of seconds has passed since the last
  // checkpoint began, 0 to INT32_MAX. 0: not by time. Never changes a result.
  int64_t every_seconds = 60;
  bool every_epoch = true;  // at the end of each epoch
  int64_t keep_last = 3;    // newest checkpoints, 1 to limits::kMaxKeptCheckpoints
  // Number of best checkpoints, 0 to limits::kMaxKeptCheckpoints; they may be among the newest. The
  // metric of early stopping decides which are best. Without early stopping, the test loss decides.
  // Without a test set, no checkpoint counts as best.
  int64_t keep_best = 1;
  bool operator==(const CheckpointConf&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);  // nn/conf/field.h
};

struct EvaluationConf {
  bool every_epoch = true;   // false: once, at the end of the job
  int64_t batch_size = 256;  // examples per step, 1 to limits::kMaxBatchSize
  bool operator==(const EvaluationConf&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);  // nn/conf/field.h
};

// Records of the model besides the result. Never changes a result.
struct StatisticsConf {
  // Records histograms of parameters, changes and activations of round 1, and then each time after
  // this number of rounds, 0 to INT32_MAX. 0: none.
  int64_t every_rounds = 0;
  bool operator==(const StatisticsConf&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);  // nn/conf/field.h
};

// kAuto: minimize losses and errors (loss, mse, mae), maximize all others.
enum class StoppingMode : uint8_t { kAuto, kMinimize, kMaximize };
template <>
struct WordsOf<StoppingMode> {
  static constexpr std::string_view kWords[] = {"auto", "minimize", "maximize"};
};

// Metrics of the test set for early stopping, the best checkpoint and learning rate plateaus.
// An output has only some of them (HasFigure in job/announced_figures.h).
inline constexpr std::string_view kWatchedMetrics[] = {
    "loss", "accuracy", "macro_precision",   "macro_recall", "macro_f1", "kappa",
    "mcc",  "roc_auc",  "average_precision", "r2",           "mse",      "mae"};

// Stops the job if `patience` epochs in a row did not improve the metric by more than min_delta.
struct EarlyStoppingConf {
  std::string metric = "loss";  // one of kWatchedMetrics
  StoppingMode mode = StoppingMode::kAuto;
  int64_t patience = 3;  // epochs, 1 to limits::kMaxEpochs
  double min_delta = 0;  // 0 to 1e30

  bool Maximizes() const;  // whether a larger metric is better
  bool operator==(const EarlyStoppingConf&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);  // nn/conf/field.h
};

struct TrainingConfig {
  int64_t epochs = 1;  // 1 to limits::kMaxEpochs
  // M, logical workers: a hyper-parameter, not a number of processes. 1 to limits::kMaxWorkers.
  int64_t workers = 1;
  int64_t batch_size = 32;  // examples per worker and step, 1 to limits::kMaxBatchSize
  // Examples that are computed at once, 0 to limits::kMaxBatchSize. A minibatch is computed in
  // micro-batches of this size, whose gradients are added. 0: the whole minibatch.
  int64_t micro_batch_size = 0;
  // Whether training computes activations again to save memory. Never changes a result.
  bool checkpoint_activations = false;
  int64_t averaging_frequency = 8;  // H, steps per round, 1 to limits::kMaxAveragingFrequency
  StrategyConf strategy;            // how contributions become the next state
  double ema_decay = 0;  // of the weights' moving average over the rounds, 0 to 0.999999; 0: none
  UpdaterState updater_state = UpdaterState::kAverage;
  ShuffleMode shuffle = ShuffleMode::kGlobal;
  // Shifts and scales the numbers to predict. Fitted on the training set at import.
  NormalizerChoice target_normalizer = NormalizerChoice::kNone;
  // Minibatches that are prepared ahead, 0 to limits::kMaxPrefetchBatches. Never changes a result.
  int64_t prefetch_batches = 2;
  int64_t threads_per_worker = 1;  // 1 to limits::kMaxThreadsPerWorker
  // Influences the bits of results, and which executors can compute. With kPortable, all executors
  // can, neither the executors nor threads_per_worker influence the bits, `precision` must be
  // kFloat32, and `isa` must be "".
  nn::KernelSet kernels = nn::KernelSet::kNative;
  // Influences the bits of results, and which executors can compute.
  nn::Precision precision = nn::Precision::kFloat32;
  // Instruction set of the kernels: one of nn::kInstructionSets that computes in this precision, or
  // "". With "", the master chooses a kernel contract from the executors that are registered when
  // the job starts. A contract that at least two of them offer comes first, then the lowest
  // instruction set. The choice may change until the first round is committed. Executors that do
  // not offer the contract get no units.
  std::string isa;
  // Share of the units, of training and evaluation, whose result must be confirmed to find silent
  // corruption, 0 to 1. Has no effect in local[N].
  double verify_fraction = 0.01;
  // Names of executors that confirm sampled units: one of them must have computed the unit, as its
  // first or its second result. If results differ, only theirs count. Empty: another executor
  // computes a second result, or the same executor if it is the only one. If these differ, a third
  // executor computes the unit, and the majority decides.
  std::vector<std::string> verify_executors;
  // Time without a heartbeat after which an executor loses its units of the job, 1 to
  // limits::kMaxLeaseSeconds.
  int64_t lease_seconds = 10;
  // Time without progress after which another executor may lease the unit, 1 to
  // limits::kMaxLeaseSeconds. Ten times the median duration of a unit is used if it is longer.
  int64_t progress_seconds = 30;
  CheckpointConf checkpoint;
  EvaluationConf evaluation;
  StatisticsConf statistics;
  std::optional<EarlyStoppingConf> early_stopping;

  bool operator==(const TrainingConfig&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);  // nn/conf/field.h
};

// Checks ranges and combinations of values. Adds mistakes under "training".
void CheckTraining(const TrainingConfig& training, nn::Mistakes& mistakes);
// Returns the rows of `training` and of all keys below it, for docs/job-spec.md.
std::vector<nn::KeyRow> TrainingKeys();

Json ToJson(const TrainingConfig& training);
// Reads a training configuration. `path` is the path of `json` in its document, for messages:
// "training". Absent keys keep their defaults. Wrong types and unknown keys add lines to
// `mistakes`. Values are not checked.
TrainingConfig TrainingFromJson(const Json& json, const std::string& path, nn::Mistakes& mistakes);

}  // namespace dl::job

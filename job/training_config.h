// How a job trains: parameter averaging, checkpoints, evaluation. All of it is part of the spec and
// frozen with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "job/normalizer_choice.h"
#include "job/strategy_conf.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// What becomes of updater state at a merge: merged like parameters, set to zero, or kept by each
// worker.
enum class UpdaterState : uint8_t { kAverage, kReset, kKeep };
std::string_view UpdaterStateName(UpdaterState policy);  // "average", "reset", "keep"

// global: an epoch permutes all examples. partition: each worker keeps its blocks and only their
// order changes. stream: each row of a worker's minibatches goes on in the data where it was, as
// stateful models need it (dataset/epoch_order.h).
enum class ShuffleMode : uint8_t { kGlobal, kPartition, kStream };
std::string_view ShuffleModeName(ShuffleMode mode);  // "global", "partition", "stream"

struct CheckpointConf {
  int64_t every_rounds = 0;    // 0: not by rounds
  int64_t every_seconds = 60;  // 0: not by time; never influences a result
  bool every_epoch = true;
  int64_t keep_last = 3;
  int64_t keep_best = 1;  // judged by the early stopping metric, else by the test loss
  bool operator==(const CheckpointConf&) const = default;
};

struct EvaluationConf {
  bool every_epoch = true;  // false: once, at the job's end
  int64_t batch_size = 256;
  bool operator==(const EvaluationConf&) const = default;
};

enum class StoppingMode : uint8_t {
  kAuto,
  kMinimize,
  kMaximize
};  // kAuto: a loss and errors are minimized, all others maximized

// Figures of the test set that early stopping, the best checkpoint and a plateau may go by.
// job/announced_figures.h says which outputs have them.
inline constexpr std::string_view kWatchedMetrics[] = {
    "loss", "accuracy", "macro_precision",   "macro_recall", "macro_f1", "kappa",
    "mcc",  "roc_auc",  "average_precision", "r2",           "mse",      "mae"};

// Stops when `patience` epochs in a row did not improve the test set's metric by more than
// min_delta.
struct EarlyStoppingConf {
  std::string metric = "loss";  // of kWatchedMetrics
  StoppingMode mode = StoppingMode::kAuto;
  int64_t patience = 3;
  double min_delta = 0;

  bool Maximizes() const;
  bool operator==(const EarlyStoppingConf&) const = default;
};

struct TrainingConfig {
  int64_t epochs = 1;
  int64_t workers = 1;      // M, logical workers: a hyper-parameter, not a number of processes
  int64_t batch_size = 32;  // examples per worker and step
  // A minibatch is computed in parts of so many examples, whose gradients are added; 0: whole.
  int64_t micro_batch_size = 0;
  int64_t averaging_frequency = 8;  // H, steps per round
  StrategyConf strategy;            // what a round's contributions become
  double ema_decay = 0;             // of a moving average of the rounds' weights; 0: there is none
  UpdaterState updater_state = UpdaterState::kAverage;
  ShuffleMode shuffle = ShuffleMode::kGlobal;
  // Scales the numbers that the model predicts; fitted on the training set at import.
  NormalizerChoice target_normalizer = NormalizerChoice::kNone;
  int64_t prefetch_batches = 2;  // 0: off; never influences a result
  int64_t threads_per_worker = 1;
  std::string isa;  // "avx2", "avx512"; "": the lowest common to the registered executors
  double verify_fraction = 0.01;  // of the units, computed twice to find silent corruption
  std::vector<std::string> verify_executors;  // whose word decides where results differ
  int64_t lease_seconds = 10;     // an executor that is silent for so long loses its unit
  int64_t progress_seconds = 30;  // and one whose unit stands still so long, at least
  CheckpointConf checkpoint;
  EvaluationConf evaluation;
  std::optional<EarlyStoppingConf> early_stopping;

  bool operator==(const TrainingConfig&) const = default;
};

void CheckTraining(const TrainingConfig& training, nn::Mistakes& mistakes);

Json ToJson(const TrainingConfig& training);
// Absent keys keep their defaults; lines about wrong types and unknown keys go to `mistakes`.
// Values are not checked here.
TrainingConfig TrainingFromJson(const Json& json, const std::string& path, nn::Mistakes& mistakes);

}  // namespace dl::job

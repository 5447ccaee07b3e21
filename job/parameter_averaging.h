// Builders of a TrainingConfig, for example:
//   ParameterAveraging().Workers(4).BatchSizePerWorker(64).AveragingFrequency(8).Epochs(3)
#pragma once

#include <utility>

#include "job/training_config.h"

namespace dl::job {

// Stops the job if `patience` epochs in a row did not improve a metric of the test set. Job::Build
// requires a test set and an evaluation after every epoch.
class EarlyStopping {
 public:
  // `metric`: one of kWatchedMetrics.
  explicit EarlyStopping(std::string metric) { conf_.metric = std::move(metric); }
  // A smaller metric is better. Default without Minimize and Maximize: minimize loss, mse and mae,
  // maximize all others.
  EarlyStopping& Minimize() {
    conf_.mode = StoppingMode::kMinimize;
    return *this;
  }
  // A larger metric is better.
  EarlyStopping& Maximize() {
    conf_.mode = StoppingMode::kMaximize;
    return *this;
  }
  // Epochs in a row without improvement, 1 to limits::kMaxEpochs. Default: 3.
  EarlyStopping& Patience(int64_t epochs) {
    conf_.patience = epochs;
    return *this;
  }
  // An improvement must be larger than this, 0 to 1e30. Default: 0.
  EarlyStopping& MinDelta(double value) {
    conf_.min_delta = value;
    return *this;
  }
  const EarlyStoppingConf& conf() const { return conf_; }

 private:
  EarlyStoppingConf conf_;
};

// Decides when checkpoints are written, and how many are kept. Independently of these settings, a
// job writes a checkpoint of its last round before it succeeds, pauses or is cancelled.
class Checkpoints {
 public:
  // Writes a checkpoint after each round whose number is a multiple of this, 0 to INT32_MAX. Only
  // one checkpoint is written at a time. If it takes longer than the rounds, some checkpoints are
  // left out. Default: 0, not by rounds.
  Checkpoints& EveryRounds(int64_t rounds) {
    conf_.every_rounds = rounds;
    return *this;
  }
  // Writes a checkpoint of the last round if this many seconds have passed since the last
  // checkpoint began, 0 to INT32_MAX. 0: not by time. Default: 60.
  Checkpoints& EverySeconds(int64_t seconds) {
    conf_.every_seconds = seconds;
    return *this;
  }
  // Turns off the checkpoint at the end of every epoch. Default: on.
  Checkpoints& NotAtEpochEnds() {
    conf_.every_epoch = false;
    return *this;
  }
  // Number of newest checkpoints to keep, 1 to limits::kMaxKeptCheckpoints. Default: 3.
  Checkpoints& KeepLast(int64_t count) {
    conf_.keep_last = count;
    return *this;
  }
  // Number of best checkpoints to keep, 0 to limits::kMaxKeptCheckpoints; they may be among the
  // newest. The metric of early stopping decides which are best. Without early stopping, the test
  // loss decides. Without a test set, no checkpoint counts as best. Default: 1.
  Checkpoints& KeepBest(int64_t count) {
    conf_.keep_best = count;
    return *this;
  }
  const CheckpointConf& conf() const { return conf_; }

 private:
  CheckpointConf conf_;
};

// Builder of the training configuration. Values are checked by Job::Build.
class ParameterAveraging {
 public:
  using Self = ParameterAveraging;
  // Passes over the training set, 1 to limits::kMaxEpochs. Default: 1.
  Self& Epochs(int64_t count) {
    config_.epochs = count;
    return *this;
  }
  // M, the number of logical workers, 1 to limits::kMaxWorkers. A hyper-parameter that decides the
  // result, not a number of processes. Default: 1.
  Self& Workers(int64_t count) {
    config_.workers = count;
    return *this;
  }
  // Examples per worker and step, 1 to limits::kMaxBatchSize. Default: 32.
  Self& BatchSizePerWorker(int64_t examples) {
    config_.batch_size = examples;
    return *this;
  }
  // Number of examples that are computed at once, 0 to limits::kMaxBatchSize. The gradients of the
  // parts of a minibatch are added (gradient accumulation). Default: 0, the whole minibatch.
  Self& MicroBatchSize(int64_t examples) {
    config_.micro_batch_size = examples;
    return *this;
  }
  // Keeps only some activations in memory, and computes the others again for the gradients. Needs
  // less memory and more time. Never changes the result. Default: off.
  Self& CheckpointActivations(bool on = true) {
    config_.checkpoint_activations = on;
    return *this;
  }
  // H, steps of each worker between two merges, 1 to limits::kMaxAveragingFrequency. Default: 8.
  Self& AveragingFrequency(int64_t steps) {
    config_.averaging_frequency = steps;
    return *this;
  }
  // Average() or Outer(). Default: Average().
  Self& Strategy(StrategyConf strategy) {
    config_.strategy = strategy;
    return *this;
  }
  // Decay per round of a moving average of the weights, 0 to 0.999999. Evaluations, predictions,
  // exports and jobs that begin with these weights use the average. Default: 0, no moving average.
  Self& EmaDecay(double decay) {
    config_.ema_decay = decay;
    return *this;
  }
  // Treatment of updater state at a merge. Default: kAverage.
  Self& UpdaterStates(UpdaterState policy) {
    config_.updater_state = policy;
    return *this;
  }
  // Order of examples. Default: kGlobal.
  Self& Shuffle(ShuffleMode mode) {
    config_.shuffle = mode;
    return *this;
  }
  // Shift and scale of the numbers to predict. The import fits them on the training set. Default:
  // kNone.
  Self& TargetNormalizer(NormalizerChoice choice) {
    config_.target_normalizer = choice;
    return *this;
  }
  // Minibatches that are prepared ahead, 0 to limits::kMaxPrefetchBatches. 0: off. Does not change
  // a result. Default: 2.
  Self& PrefetchBatches(int64_t count) {
    config_.prefetch_batches = count;
    return *this;
  }
  // Number of threads that compute one unit, 1 to limits::kMaxThreadsPerWorker. Influences the bits
  // of a result unless the kernels are nn::Portable(). Default: 1.
  Self& ThreadsPerWorker(int64_t count) {
    config_.threads_per_worker = count;
    return *this;
  }
  // Kernels: nn::Native(), the fastest of the machine, or nn::Portable(), whose results have the
  // same bits on every CPU and with any number of threads. Portable excludes Bf16 and Isa. Default:
  // Native.
  Self& Kernels(nn::KernelSet kernels) {
    config_.kernels = kernels;
    return *this;
  }
  // Type of activations and of the factors of products: nn::Float32() or nn::Bf16(). Influences the
  // bits of a result. Bf16 needs executors with AMX or AVX-512 bf16. Default: Float32.
  Self& Precision(nn::Precision precision) {
    config_.precision = precision;
    return *this;
  }
  // Instruction set of the kernels: "avx2", "avx512", with Bf16 "avx512_bf16", "amx"; or "". With
  // "", the master chooses it from the executors that are registered when the job starts
  // (TrainingConfig::isa). Default: "".
  Self& Isa(std::string isa) {
    config_.isa = std::move(isa);
    return *this;
  }
  // Share of the units whose result must be confirmed by a second result (or as VerifyExecutors
  // states), to find silent corruption, 0 to 1. Has no effect in local[N]. Default: 0.01.
  Self& VerifyFraction(double fraction) {
    config_.verify_fraction = fraction;
    return *this;
  }
  // Seconds without a heartbeat after which an executor loses its units of the job, 1 to
  // limits::kMaxLeaseSeconds. Default: 10.
  Self& LeaseSeconds(int64_t seconds) {
    config_.lease_seconds = seconds;
    return *this;
  }
  // Names of executors that confirm the units sampled by VerifyFraction: one of them must have
  // computed the unit, as its first or its second result. If results differ, only theirs count.
  // Default: no names. Without names, another executor computes the second result, or the same
  // executor if it is the only one. If these differ, a third executor computes the unit, and the
  // majority decides.
  Self& VerifyExecutors(std::vector<std::string> names) {
    config_.verify_executors = std::move(names);
    return *this;
  }
  // Seconds without progress after which another executor may lease the unit, 1 to
  // limits::kMaxLeaseSeconds. Ten times the median duration of a unit is used if it is longer.
  // Default: 30.
  Self& ProgressSeconds(int64_t seconds) {
    config_.progress_seconds = seconds;
    return *this;
  }
  // Default: Checkpoints() with its defaults.
  Self& Checkpoint(const Checkpoints& policy) {
    config_.checkpoint = policy.conf();
    return *this;
  }
  // Evaluates the test set once, at the end of the job. Default: after every epoch.
  Self& EvaluateOnlyAtTheEnd() {
    config_.evaluation.every_epoch = false;
    return *this;
  }
  // Examples per step of an evaluation, 1 to limits::kMaxBatchSize. Default: 256.
  Self& EvaluationBatchSize(int64_t examples) {
    config_.evaluation.batch_size = examples;
    return *this;
  }
  // Records histograms of parameters, changes and activations of round 1, and then each time after
  // this number of rounds, 0 to INT32_MAX. Never changes a result. Default: 0, none.
  Self& HistogramsEveryRounds(int64_t rounds) {
    config_.statistics.every_rounds = rounds;
    return *this;
  }
  // Default: no early stopping.
  Self& StopEarly(const EarlyStopping& policy) {
    config_.early_stopping = policy.conf();
    return *this;
  }
  const TrainingConfig& config() const { return config_; }

 private:
  TrainingConfig config_;
};

}  // namespace dl::job

namespace dl {
using job::ParameterAveraging;
}  // namespace dl

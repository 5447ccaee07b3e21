// The fluent builder of a TrainingConfig:
//   ParameterAveraging().Workers(4).BatchSizePerWorker(64).AveragingFrequency(8).Epochs(3)
#pragma once

#include <utility>

#include "job/training_config.h"

namespace dl::job {

class EarlyStopping {
 public:
  // `metric` of the test set: a name of kWatchedMetrics.
  explicit EarlyStopping(std::string metric) { conf_.metric = std::move(metric); }
  EarlyStopping& Minimize() {
    conf_.mode = StoppingMode::kMinimize;
    return *this;
  }
  EarlyStopping& Maximize() {
    conf_.mode = StoppingMode::kMaximize;
    return *this;
  }
  EarlyStopping& Patience(int64_t epochs) {
    conf_.patience = epochs;
    return *this;
  }
  EarlyStopping& MinDelta(double value) {
    conf_.min_delta = value;
    return *this;
  }
  const EarlyStoppingConf& conf() const { return conf_; }

 private:
  EarlyStoppingConf conf_;
};

class Checkpoints {
 public:
  Checkpoints& EveryRounds(int64_t rounds) {
    conf_.every_rounds = rounds;
    return *this;
  }
  Checkpoints& EverySeconds(int64_t seconds) {
    conf_.every_seconds = seconds;
    return *this;
  }
  Checkpoints& NotAtEpochEnds() {
    conf_.every_epoch = false;
    return *this;
  }
  Checkpoints& KeepLast(int64_t count) {
    conf_.keep_last = count;
    return *this;
  }
  Checkpoints& KeepBest(int64_t count) {
    conf_.keep_best = count;
    return *this;
  }
  const CheckpointConf& conf() const { return conf_; }

 private:
  CheckpointConf conf_;
};

class ParameterAveraging {
 public:
  using Self = ParameterAveraging;
  Self& Epochs(int64_t count) {
    config_.epochs = count;
    return *this;
  }
  Self& Workers(int64_t count) {
    config_.workers = count;
    return *this;
  }
  Self& BatchSizePerWorker(int64_t examples) {
    config_.batch_size = examples;
    return *this;
  }
  // Gradient accumulation; 0: off.
  Self& MicroBatchSize(int64_t examples) {
    config_.micro_batch_size = examples;
    return *this;
  }
  Self& AveragingFrequency(int64_t steps) {
    config_.averaging_frequency = steps;
    return *this;
  }
  // Average() or Outer().
  Self& Strategy(StrategyConf strategy) {
    config_.strategy = strategy;
    return *this;
  }
  // Of a moving average of the rounds' weights, which evaluations take; 0: none.
  Self& EmaDecay(double decay) {
    config_.ema_decay = decay;
    return *this;
  }
  Self& UpdaterStates(UpdaterState policy) {
    config_.updater_state = policy;
    return *this;
  }
  Self& Shuffle(ShuffleMode mode) {
    config_.shuffle = mode;
    return *this;
  }
  // How the numbers that the model predicts are shifted and scaled for training.
  Self& TargetNormalizer(NormalizerChoice choice) {
    config_.target_normalizer = choice;
    return *this;
  }
  Self& PrefetchBatches(int64_t count) {
    config_.prefetch_batches = count;
    return *this;
  }
  Self& ThreadsPerWorker(int64_t count) {
    config_.threads_per_worker = count;
    return *this;
  }
  Self& Isa(std::string isa) {
    config_.isa = std::move(isa);
    return *this;
  }
  Self& VerifyFraction(double fraction) {
    config_.verify_fraction = fraction;
    return *this;
  }
  Self& LeaseSeconds(int64_t seconds) {
    config_.lease_seconds = seconds;
    return *this;
  }
  // Executors whose word decides where results differ.
  Self& VerifyExecutors(std::vector<std::string> names) {
    config_.verify_executors = std::move(names);
    return *this;
  }
  // How long a unit may show no progress, at least.
  Self& ProgressSeconds(int64_t seconds) {
    config_.progress_seconds = seconds;
    return *this;
  }
  Self& Checkpoint(const Checkpoints& policy) {
    config_.checkpoint = policy.conf();
    return *this;
  }
  Self& EvaluateOnlyAtTheEnd() {
    config_.evaluation.every_epoch = false;
    return *this;
  }
  Self& EvaluationBatchSize(int64_t examples) {
    config_.evaluation.batch_size = examples;
    return *this;
  }
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

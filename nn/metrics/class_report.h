// What probabilities of classes are worth, of examples of one class each: more than whether the
// likeliest is right.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nn/metrics/metric_sums.h"
#include "nn/metrics/ranking.h"

namespace dl::nn {

// One example after the other, in memory that grows with them (a float for each probability) up to
// kMaxScores; not thread-safe.
class ClassReport {
 public:
  // Probabilities that are kept for rankings: 128 MiB.
  static constexpr int64_t kMaxScores = int64_t{1} << 25;

  // REQUIRES: two classes or more.
  explicit ClassReport(int64_t classes);

  // `probabilities` of the classes, [examples, classes]; `labels` below their number, negative
  // where an example has none: such an example counts in no figure.
  void Add(std::span<const float> probabilities, std::span<const int32_t> labels);

  // Examples that have a label.
  int64_t examples() const { return examples_; }
  // The share of examples with fewer than k classes before their own: classes that are likelier, or
  // as likely and of a lower number. 0 without examples. REQUIRES: k >= 1.
  double TopAccuracy(int64_t k) const;

  // The mean of -ln of the probability of the example's class, of which one below the smallest
  // normal float counts as that. Without weights of classes, without smoothing.
  double log_loss() const { return log_losses_.loss(); }
  // The mean of the squared distance between an example's probabilities and its class (1 there, 0
  // elsewhere), from 0 to 2. G. W. Brier, "Verification of forecasts expressed in terms of
  // probability", 1950.
  double brier() const { return squared_.loss(); }

  // Of the class against all others, by its probability. Nothing where RankingOf has nothing, or
  // where scores() would be beyond kMaxScores.
  std::optional<Ranking> RankingOfClass(int64_t c) const;
  bool keeps_scores() const { return keeps_scores_; }

 private:
  void KeepScores(std::span<const float> probabilities, std::span<const int32_t> labels);

  int64_t classes_;
  int64_t examples_ = 0;
  std::vector<int64_t> ranked_;      // examples whose class has rank 0, 1, …
  MetricSums log_losses_, squared_;  // exact means
  bool keeps_scores_ = true;
  std::vector<float> scores_;  // [examples, classes]
  std::vector<int32_t> labels_;
};

}  // namespace dl::nn

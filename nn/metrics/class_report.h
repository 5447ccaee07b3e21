// Metrics of predicted class probabilities, for examples of one class each, beyond the accuracy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nn/metrics/metric_sums.h"
#include "nn/metrics/ranking.h"

namespace dl::nn {

// Examples are added one after the other. Memory grows by a float for each probability, up to
// kMaxScores. Not thread-safe.
class ClassReport {
 public:
  // Largest number of probabilities that are kept for rankings: 128 MiB.
  static constexpr int64_t kMaxScores = int64_t{1} << 25;

  // REQUIRES: at least two classes.
  explicit ClassReport(int64_t classes);

  // `probabilities` are [examples, classes]. `labels` are below the number of classes. A negative
  // label means that the example has none and is ignored.
  void Add(std::span<const float> probabilities, std::span<const int32_t> labels);

  // Returns the number of examples with a label.
  int64_t examples() const { return examples_; }
  // Returns the share of examples for which fewer than k classes rank before the example's class. A
  // class ranks before it if it is more probable, or equally probable with a lower number. Returns
  // 0 without examples. REQUIRES: k >= 1.
  double TopAccuracy(int64_t k) const;

  // Returns the mean of -ln of the probability of the example's class, without class weights or
  // smoothing. A probability below the smallest normal float counts as that float.
  double log_loss() const { return log_losses_.loss(); }
  // Returns the mean of the squared distance, from 0 to 2, between an example's probabilities and
  // its class (1 for the class, 0 for all others). G. W. Brier, "Verification of forecasts
  // expressed in terms of probability", 1950.
  double brier() const { return squared_.loss(); }

  // Returns the ranking of the class against all others, by its probability. Returns nullopt if
  // RankingOf does, or if there are more than kMaxScores probabilities.
  std::optional<Ranking> RankingOfClass(int64_t c) const;
  bool keeps_scores() const { return keeps_scores_; }

 private:
  void KeepScores(std::span<const float> probabilities, std::span<const int32_t> labels);

  int64_t classes_;
  int64_t examples_ = 0;
  std::vector<int64_t> ranked_;      // number of examples whose class has rank 0, 1, …
  MetricSums log_losses_, squared_;  // for exact means
  bool keeps_scores_ = true;
  std::vector<float> scores_;  // [examples, classes]
  std::vector<int32_t> labels_;
};

}  // namespace dl::nn

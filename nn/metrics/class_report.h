// Computes metrics of predicted class probabilities beyond the accuracy. Each example has at most
// one class.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nn/metrics/metric_sums.h"
#include "nn/metrics/ranking.h"

namespace dl::nn {

// Examples are added one after the other. The report stores scores for rankings: 4 bytes per
// probability and 8 bytes per example. If there are more than kMaxScores probabilities, all scores
// are dropped and rankings are not available. Not thread-safe.
class ClassReport {
 public:
  // Largest number of probabilities (examples times classes) that are kept for rankings: 128 MiB.
  static constexpr int64_t kMaxScores = int64_t{1} << 25;

  // REQUIRES: at least two classes.
  explicit ClassReport(int64_t classes);

  // `probabilities` are [examples, classes]. `labels` are below the number of classes. A negative
  // label means that the example has none and is ignored. `weights` has the weight of each example,
  // finite and at least 0; empty means that each is 1. An example of weight 0 is ignored.
  // TopAccuracy, log_loss and brier are weighted means, and rankings use the weights, too.
  void Add(std::span<const float> probabilities, std::span<const int32_t> labels,
           std::span<const float> weights = {});

  // Returns whether an example with a label has a weight above 0. Without one there is no figure.
  bool has_figures() const { return weight_ > 0; }
  // Returns the share of examples, by weight, for which fewer than k classes rank before the
  // example's class. A class ranks before it if it is more probable, or equally probable with a
  // lower number. An example whose own class has the probability NaN is never among them. Returns 0
  // without has_figures(). REQUIRES: k >= 1.
  double TopAccuracy(int64_t k) const;

  // Returns the mean of -ln of the probability of the example's class, without class weights or
  // smoothing. A probability below the smallest normal float counts as that float. NaN without
  // has_figures(), and if one of these probabilities was NaN.
  double log_loss() const { return MeanOf(log_losses_); }
  // Returns the mean of the squared distance, from 0 to 2, between an example's probabilities and
  // its class (1 for the class, 0 for all others). G. W. Brier, "Verification of forecasts
  // expressed in terms of probability", 1950. NaN without has_figures(), and if any probability of
  // these examples was NaN.
  double brier() const { return MeanOf(squared_); }

  // Returns the ranking of the class against all others, by its probability. Returns nullopt if
  // RankingOf does, or if there are more than kMaxScores probabilities.
  std::optional<Ranking> RankingOfClass(int64_t c) const;
  // Returns the probabilities of the class, positive for examples of the class. Returns nullopt if
  // there are more than kMaxScores probabilities.
  std::optional<std::vector<ScoredExample>> ScoresOfClass(int64_t c) const;
  // Returns whether all scores are kept: whether the examples with a label and a weight above 0
  // have at most kMaxScores probabilities together.
  bool keeps_scores() const { return keeps_scores_; }

 private:
  void KeepScores(std::span<const float> probabilities, int64_t label, float weight);
  double MeanOf(const MetricSums& weighted) const;

  int64_t classes_;
  double weight_ = 0;                // of all examples
  std::vector<double> ranked_;       // weight of examples whose class has rank 0, 1, …
  MetricSums log_losses_, squared_;  // exact sums of weighted losses
  bool keeps_scores_ = true;
  std::vector<float> scores_;  // [examples, classes]
  std::vector<int32_t> labels_;
  std::vector<float> weights_;
};

}  // namespace dl::nn

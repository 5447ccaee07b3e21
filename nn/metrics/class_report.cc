#include "nn/metrics/class_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status.h"

namespace dl::nn {

ClassReport::ClassReport(int64_t classes) : classes_(classes), ranked_(classes) {
  DL_CHECK(classes >= 2);
}

void ClassReport::Add(std::span<const float> probabilities, std::span<const int32_t> labels,
                      std::span<const float> weights) {
  DL_CHECK(probabilities.size() == labels.size() * static_cast<size_t>(classes_));
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::span<const float> row = probabilities.subspan(i * classes_, classes_);
    const int64_t label = labels[i];
    const float weight = weights.empty() ? 1 : weights[i];
    if (label < 0 || weight == 0) continue;
    const float own = row[label];
    int64_t rank = 0;
    double squared = 0;
    for (int64_t c = 0; c < classes_; ++c) {
      if (row[c] > own || (row[c] == own && c < label)) ++rank;
      const double error = static_cast<double>(row[c]) - (c == label ? 1.0 : 0.0);
      squared += error * error;
    }
    // A NaN has no rank.
    if (!std::isnan(own)) ranked_[rank] += weight;
    weight_ += weight;
    squared_.AddLoss(weight * squared);
    log_losses_.AddLoss(weight *
                        -std::log(std::isnan(own)
                                      ? static_cast<double>(own)
                                      : std::max<double>(own, std::numeric_limits<float>::min())));
    KeepScores(row, label, weight);
  }
}

void ClassReport::KeepScores(std::span<const float> probabilities, int64_t label, float weight) {
  if (!keeps_scores_) return;
  keeps_scores_ = static_cast<int64_t>(scores_.size() + probabilities.size()) <= kMaxScores;
  if (keeps_scores_) {
    scores_.insert(scores_.end(), probabilities.begin(), probabilities.end());
    labels_.push_back(static_cast<int32_t>(label));
    weights_.push_back(weight);
  } else {
    std::vector<float>().swap(scores_);
    std::vector<int32_t>().swap(labels_);
    std::vector<float>().swap(weights_);
  }
}

double ClassReport::MeanOf(const MetricSums& weighted) const {
  return weighted.loss() * (static_cast<double>(weighted.examples()) / weight_);
}

double ClassReport::TopAccuracy(int64_t k) const {
  DL_CHECK(k >= 1);
  if (!has_figures()) return 0;
  double within = 0;
  for (int64_t rank = 0; rank < std::min(k, classes_); ++rank) within += ranked_[rank];
  return within / weight_;
}

std::optional<std::vector<ScoredExample>> ClassReport::ScoresOfClass(int64_t c) const {
  if (!keeps_scores_) return std::nullopt;
  std::vector<ScoredExample> examples(labels_.size());
  for (size_t i = 0; i < labels_.size(); ++i)
    examples[i] = {scores_[i * classes_ + c], labels_[i] == c, weights_[i]};
  return examples;
}

std::optional<Ranking> ClassReport::RankingOfClass(int64_t c) const {
  auto examples = ScoresOfClass(c);
  return examples ? RankingOf(*examples) : std::nullopt;
}

}  // namespace dl::nn

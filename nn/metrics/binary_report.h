// What probabilities of yes and no are worth: each output by itself, as of a model that may say yes
// to several things at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nn/metrics/ranking.h"

namespace dl::nn {

// One example after the other, in memory that grows with them (5 bytes for each output) up to
// kMaxScores; not thread-safe.
class BinaryReport {
 public:
  static constexpr int64_t kMaxScores = int64_t{1} << 25;

  explicit BinaryReport(int64_t outputs);

  // Both [examples, outputs]. A target is 1 for yes and 0 for no; one between them says neither,
  // and its example is left out for that output.
  void Add(std::span<const float> probabilities, std::span<const float> targets);

  // Yes is said from a probability of 1/2.
  struct Counts {
    int64_t true_positives = 0, false_positives = 0, false_negatives = 0, true_negatives = 0;

    int64_t examples() const {
      return true_positives + false_positives + false_negatives + true_negatives;
    }
    // 0 where nothing is to be divided by.
    double Accuracy() const;
    double Precision() const;
    double Recall() const;
  };
  int64_t outputs() const { return outputs_; }
  const Counts& CountsOf(int64_t output) const { return counts_[output]; }
  // Nothing where RankingOf has nothing, or where there are more than kMaxScores probabilities.
  std::optional<Ranking> RankingOfOutput(int64_t output) const;
  bool keeps_scores() const { return keeps_scores_; }

 private:
  enum class Answer : uint8_t { kNo, kYes, kNeither };

  int64_t outputs_;
  std::vector<Counts> counts_;
  bool keeps_scores_ = true;
  std::vector<float> scores_;  // [examples, outputs]
  std::vector<Answer> answers_;
};

}  // namespace dl::nn

// What probabilities of yes and no are worth: each output by itself, as of a model that may say yes
// to several things at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nn/metrics/ranking.h"

namespace dl::nn {

// The one rule by which a probability answers a question: yes above 1/2.
inline bool SaysYes(float probability) { return probability > 0.5f; }

// One example after the other, in memory that grows with them (5 bytes for each output) up to
// kMaxScores; not thread-safe.
class BinaryReport {
 public:
  static constexpr int64_t kMaxScores = int64_t{1} << 25;

  explicit BinaryReport(int64_t outputs);

  // Both [examples, outputs]. A target is 1 for yes and 0 for no; one between them says neither,
  // and its example is left out for that output.
  void Add(std::span<const float> probabilities, std::span<const float> targets);

  // By SaysYes.
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
  Counts SumOfCounts() const;  // over all outputs
  // The share of examples for which every output is right, among those whose targets all say yes or
  // no; 0 when there are none.
  double ExactMatch() const;
  // Nothing where RankingOf has nothing, or where there are more than kMaxScores probabilities.
  std::optional<Ranking> RankingOfOutput(int64_t output) const;
  bool keeps_scores() const { return keeps_scores_; }

 private:
  enum class Answer : uint8_t { kNo, kYes, kNeither };
  void CountExactMatches(std::span<const float> probabilities, std::span<const float> targets);

  int64_t outputs_;
  std::vector<Counts> counts_;
  int64_t answered_ = 0, exact_ = 0;  // examples with all targets; with all outputs right
  bool keeps_scores_ = true;
  std::vector<float> scores_;  // [examples, outputs]
  std::vector<Answer> answers_;
};

}  // namespace dl::nn

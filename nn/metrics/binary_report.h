// Computes metrics of yes/no answers: accuracy, precision, recall and rankings. A model may answer
// several questions; each output is the probability that its answer is yes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nn/metrics/ranking.h"

namespace dl::nn {

// Returns whether a probability is a positive prediction: above 1/2. All code uses this rule.
inline bool SaysYes(float probability) { return probability > 0.5f; }

// Examples are added one after the other. The report stores scores for rankings: 5 bytes per output
// and example, and 4 bytes per example. If there are more than kMaxScores probabilities, all scores
// are dropped and rankings are not available. Not thread-safe.
class BinaryReport {
 public:
  static constexpr int64_t kMaxScores = int64_t{1} << 25;

  // REQUIRES: at least one output.
  explicit BinaryReport(int64_t outputs);

  // `probabilities` and `targets` are [examples, outputs]. A target is 1 for yes and 0 for no. An
  // example with any other target for an output is ignored for that output. `weights` has the
  // weight of each example, finite and at least 0; empty means that each is 1.
  void Add(std::span<const float> probabilities, std::span<const float> targets,
           std::span<const float> weights = {});

  // The four sums are weights of examples, by SaysYes and the target. Without weights they are
  // counts.
  struct Counts {
    int64_t examples = 0;  // number of examples with a target of 0 or 1, not weighted
    double true_positives = 0, false_positives = 0, false_negatives = 0, true_negatives = 0;

    // Return 0 if the denominator is 0.
    double Accuracy() const;
    double Precision() const;
    double Recall() const;
  };
  int64_t outputs() const { return outputs_; }
  const Counts& CountsOf(int64_t output) const { return counts_[output]; }
  Counts SumOfCounts() const;  // over all outputs
  // Returns the share of examples, by weight, for which every output is correct, among the examples
  // whose targets are all 0 or 1. Returns 0 if there are none.
  double ExactMatch() const;
  // Returns the ranking of the examples by an output. Returns nullopt if RankingOf does, or if
  // there are more than kMaxScores probabilities.
  std::optional<Ranking> RankingOfOutput(int64_t output) const;
  // Returns the probabilities of an output for the examples whose target is 0 or 1, positive for 1.
  // Returns nullopt if there are more than kMaxScores probabilities.
  std::optional<std::vector<ScoredExample>> ScoresOfOutput(int64_t output) const;
  // Returns whether all scores are kept: whether at most kMaxScores probabilities were added, also
  // counting those whose target is neither 0 nor 1.
  bool keeps_scores() const { return keeps_scores_; }

 private:
  enum class Answer : uint8_t { kNo, kYes, kNeither };
  void CountExactMatches(std::span<const float> probabilities, std::span<const float> targets,
                         std::span<const float> weights);

  int64_t outputs_;
  std::vector<Counts> counts_;
  // Sums of weights. answered_: of examples whose targets are all 0 or 1. exact_: of the examples
  // among them for which every output is correct.
  double answered_ = 0, exact_ = 0;
  bool keeps_scores_ = true;
  std::vector<float> scores_;  // [examples, outputs]
  std::vector<Answer> answers_;
  std::vector<float> weights_;  // [examples]
};

}  // namespace dl::nn

// What evaluation and training report: sums of integers only, so that merging is exact and free of
// order. Averages are derived from them when somebody asks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "nn/metrics/exact_sum.h"
#include "nn/metrics/number_sums.h"
#include "nn/metrics/score_counts.h"

namespace dl::nn {

// Sums over examples; of sequences that are judged step by step, over their steps. Plain value; not
// thread-safe.
class MetricSums {
 public:
  MetricSums() = default;
  // With a confusion matrix of `classes` x `classes`, of which only what was counted takes room; 0
  // for none.
  explicit MetricSums(int64_t classes) { EnableConfusion(classes); }
  void EnableConfusion(int64_t classes);
  // Drops the confusion matrix, numbers and scores: loss and accuracy stay.
  void DropFigures();
  // Begin sums of the errors of predicted numbers, and counts of examples by score.
  void EnableNumbers(int64_t outputs) { numbers_.emplace(outputs); }
  void EnableScores() { scores_.emplace(); }
  // About how much memory the confusion matrix, numbers and scores take.
  int64_t FigureBytes() const;
  void Clear();  // back to zero

  // Adds one example, whose loss may be negative, to an exact sum (exact_sum.h). NaN and infinity
  // are counted in non_finite() instead.
  void AddLoss(double loss);
  // What is added to the loss of an example that AddLoss counts.
  void AddPenalty(double loss);
  // One example's class: also counts it in the confusion matrix when there is one.
  // REQUIRES: both below the number of classes of the confusion matrix, if any.
  void AddPrediction(int64_t label, int64_t predicted);

  // Adds an example that AddLoss counts. Both spans have a value for each output. REQUIRES:
  // EnableNumbers was called.
  void AddNumbers(std::span<const float> predictions, std::span<const float> targets) {
    numbers_->Add(predictions, targets);
  }
  // Adds the probability of yes, or of the second of two classes. REQUIRES: EnableScores was
  // called.
  void AddScore(float p, bool positive) { scores_->Add(p, positive); }

  // Adds the other's sums: exact, commutative and associative. InvalidArgument when both have
  // confusion matrices of different sizes, or numbers of different outputs, or a count would
  // overflow. Sums without a matrix, numbers or scores merge with any.
  Status Merge(const MetricSums& other);

  int64_t examples() const { return examples_; }
  int64_t correct() const { return correct_; }
  int64_t predictions() const { return predictions_; }
  int64_t non_finite() const { return non_finite_; }
  int64_t classes() const { return classes_; }
  const std::optional<NumberSums>& numbers() const { return numbers_; }
  const std::optional<ScoreCounts>& scores() const { return scores_; }
  // Examples of the label's class that were predicted as the other one; 0 without a matrix.
  int64_t Confused(int64_t label, int64_t predicted) const;

  // Calls visit(label, predicted, count) for each entry that is not 0, ascending.
  template <typename Visit>
  void VisitConfusion(const Visit& visit) const {
    for (const auto& [cell, count] : confusion_) visit(cell / classes_, cell % classes_, count);
  }

  // The mean of the examples; NaN without examples, or when one's was not finite.
  double loss() const;
  // Whether AddLoss and AddPenalty can give this sum of losses for so many examples. A sum that a
  // peer announces may be any integer.
  bool HasPossibleLoss() const;
  double accuracy() const;  // correct / predictions; 0 without predictions
  bool has_accuracy() const { return predictions_ > 0; }
  // Of class c. A class never predicted has precision 0; one without examples has recall 0.
  double Precision(int64_t c) const;
  double Recall(int64_t c) const;

  // {"examples","loss_sum","correct","predictions","non_finite"[,"classes","confusion"]
  // [,"numbers"][,"scores"]} (NumberSums::ToJson, ScoreCounts::ToList): integers,
  // loss_sum as a text because it has up to 255 bits (ExactSum::ToText); the confusion matrix as
  // label, prediction and count of each entry that is not 0, one behind the other, ascending. Round
  // trip is exact.
  Json ToJson() const;
  // Return the lists "confusion" and "scores" as they stand in the text of ToJson(), and leave them
  // empty. For callers that have no time for a JSON value for each number of a long list.
  std::string TakeConfusionText();
  std::string TakeScoresText();
  // InvalidArgument with every mistake; checks that the sums can belong together.
  static StatusOr<MetricSums> FromJson(const Json& json, std::string path);

  bool operator==(const MetricSums&) const = default;

 private:
  int64_t examples_ = 0;
  int64_t correct_ = 0;
  int64_t predictions_ = 0;
  int64_t non_finite_ = 0;
  static bool IsFinite(double loss);
  ExactSum loss_sum_;
  int64_t classes_ = 0;
  // Flat: a matrix of many classes has tens of thousands of entries, and is copied and merged where
  // others wait.
  struct Entry {
    int64_t cell = 0;   // label * classes + predicted
    int64_t count = 0;  // never 0
    bool operator==(const Entry&) const = default;
  };
  static bool ReadConfusion(const std::vector<int64_t>& entries, int64_t classes,
                            int64_t predictions, std::vector<Entry>& out);
  void MergeConfusion(std::span<const Entry> other);
  std::vector<Entry> confusion_;  // by ascending cell
  std::optional<NumberSums> numbers_;
  std::optional<ScoreCounts> scores_;
};

}  // namespace dl::nn

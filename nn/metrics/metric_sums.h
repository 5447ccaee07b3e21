// Sums that evaluation and training report. They consist of integers only, so merging is exact and
// independent of order. Means are computed from them on request.
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
#include "nn/metrics/prediction_weights.h"
#include "nn/metrics/score_counts.h"

namespace dl::nn {

// Sums over examples, or over the steps of sequences that have a loss at each step. A plain value;
// not thread-safe.
class MetricSums {
 public:
  MetricSums() = default;
  // Has a confusion matrix of `classes` x `classes`, which stores only nonzero entries; 0 for no
  // matrix.
  explicit MetricSums(int64_t classes) { EnableConfusion(classes); }
  // Starts an empty confusion matrix; 0 means no matrix. If there are sums of weights, sets
  // them to zero and adds sums for each class.
  void EnableConfusion(int64_t classes);
  // Starts sums of weights, as if all predictions so far had a weight of 1. Has no effect if there
  // are sums of weights.
  void EnableWeights();
  // Removes the confusion matrix, numbers, scores and the sums of weights for each class. Loss and
  // accuracy stay.
  void DropFigures();
  void DropScores() { scores_.reset(); }
  // Start empty sums of the errors of predicted numbers, and empty counts of examples by score.
  void EnableNumbers(int64_t outputs) { numbers_.emplace(outputs); }
  void EnableScores(int64_t outputs) { scores_.emplace(outputs); }
  // Returns roughly how many bytes the confusion matrix, numbers, scores and weights take. The
  // matrix counts as if all entries were nonzero.
  int64_t FigureBytes() const;
  void Clear();  // sets all sums to zero

  // Counts one example in examples(), and adds its loss, which may be negative, to an exact sum
  // (exact_sum.h). A loss that is NaN or infinite is counted in non_finite() instead of added.
  void AddLoss(double loss);
  // Adds `loss` to the sum of losses, without counting an example. A NaN or infinity increases
  // non_finite() instead, up to examples().
  void AddPenalty(double loss);
  // Adds one example's predicted class, also to the confusion matrix if there is one, and its
  // weight to the sums of weights. REQUIRES: both are below the number of classes if there is a
  // confusion matrix; the weight is 1 if EnableWeights was not called.
  void AddPrediction(int64_t label, int64_t predicted, double weight = 1);

  // Adds the predictions of an example that AddLoss counts. Both spans have a value for each
  // output. REQUIRES: EnableNumbers was called.
  void AddNumbers(std::span<const float> predictions, std::span<const float> targets,
                  double weight = 1) {
    numbers_->Add(predictions, targets, weight);
  }
  // Adds probabilities for an output, and the weights of their examples if there are sums of
  // weights. REQUIRES: EnableScores was called.
  void AddScores(int64_t output, std::span<const ScoredExample> examples) {
    scores_->Add(output, examples, ScoreUnit());
  }

  // Adds another sum. The operation is exact, commutative and associative. If only one of both has
  // a confusion matrix, numbers or scores, the result has them unchanged. If only one of both has
  // sums of weights, each prediction of the other has a weight of 1. Returns InvalidArgument and
  // changes nothing in these cases:
  //
  // - Both have confusion matrices, of different sizes.
  // - Both have numbers, or both have scores, for different numbers of outputs.
  // - A count or sum would overflow. Counts of scores stay at the largest integer (ScoreCounts).
  Status Merge(const MetricSums& other);

  // Numbers of examples, of correct predictions, of all predictions, of examples whose loss is not
  // finite, and of classes of the confusion matrix (0 without one).
  int64_t examples() const { return examples_; }
  int64_t correct() const { return correct_; }
  int64_t predictions() const { return predictions_; }
  int64_t non_finite() const { return non_finite_; }
  int64_t classes() const { return classes_; }
  const std::optional<NumberSums>& numbers() const { return numbers_; }
  const std::optional<ScoreCounts>& scores() const { return scores_; }
  const std::optional<PredictionWeights>& weights() const { return weights_; }
  // Returns the number of examples of class `label` that were predicted as `predicted`; 0 without a
  // matrix.
  int64_t Confused(int64_t label, int64_t predicted) const;

  // Calls visit(label, predicted, count) for each nonzero entry, in ascending order.
  template <typename Visit>
  void VisitConfusion(const Visit& visit) const {
    for (const auto& [cell, count] : confusion_) visit(cell / classes_, cell % classes_, count);
  }

  // Returns the mean loss of the examples. NaN without examples, or if any loss or penalty was not
  // finite.
  double loss() const;
  // Returns false if the magnitude of the sum of losses is above a bound that AddLoss and
  // AddPenalty cannot exceed for this number of examples. A sum that a peer announces may have any
  // value.
  bool HasPossibleLoss() const;
  // Returns the share of correct predictions, by weight if there are sums of weights. 0 if
  // has_accuracy() is false.
  double accuracy() const;
  bool has_accuracy() const;
  // Return precision and recall of class c, by weight if there are sums of weights. The precision
  // of a class that was never predicted is 0. The recall of a class without examples is 0.
  // REQUIRES: a confusion matrix with class c.
  double Precision(int64_t c) const;
  double Recall(int64_t c) const;

  // Returns {"examples","loss_sum","correct","predictions","non_finite"[,"classes","confusion"]
  // [,"numbers"][,"scores"[,"score_outputs"]][,"weights"]} (NumberSums::ToJson,
  // ScoreCounts::ToList, PredictionWeights::ToJson). Values are integers; loss_sum is a text,
  // because it has up to 255 bits (ExactSum::ToText). The confusion matrix is one list of label,
  // prediction and count of each nonzero entry, ascending. A round trip is exact.
  Json ToJson() const;
  // Returns the list "confusion" as it appears in the text of ToJson(), and sets all entries of the
  // confusion matrix to 0. For callers that cannot afford a JSON value for each number of a long
  // list.
  std::string TakeConfusionText();
  // Reads what ToJson returns. Returns InvalidArgument with a list of the mistakes. Checks each
  // count and sum against the numbers of examples and predictions, but does not check
  // HasPossibleLoss(). `path` begins the paths in messages.
  static StatusOr<MetricSums> FromJson(const Json& json, std::string path);

  bool operator==(const MetricSums&) const = default;

 private:
  int64_t examples_ = 0;
  int64_t correct_ = 0;
  int64_t predictions_ = 0;
  int64_t non_finite_ = 0;
  static bool IsFinite(double loss);
  ScoreCounts::Unit ScoreUnit() const {
    return weights_ ? ScoreCounts::Unit::kWeights : ScoreCounts::Unit::kExamples;
  }
  // Returns the scores in weights if `other` has sums of weights.
  std::optional<ScoreCounts> InUnitOf(const MetricSums& other) const;
  // Sums in which each prediction has a weight of 1 where this has no sums of weights.
  PredictionWeights WeightsOrOnes() const;
  ExactSum loss_sum_;
  int64_t classes_ = 0;
  // A flat list, because a matrix of many classes has tens of thousands of entries and is copied
  // and merged while other work waits.
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
  std::optional<PredictionWeights> weights_;
};

}  // namespace dl::nn

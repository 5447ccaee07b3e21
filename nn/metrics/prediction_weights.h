// Sums of the weights of examples. If examples have weights, accuracy and the metrics of classes
// are computed from them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "nn/metrics/exact_sum.h"

namespace dl::nn {

// Plain value; not thread-safe. The sums are exact, so merging does not depend on the order.
class PredictionWeights {
 public:
  // Weights of one class.
  struct OfClass {
    ExactSum labelled, predicted;
    ExactSum right;  // both labelled and predicted
    bool operator==(const OfClass&) const = default;
  };

  // `classes`: 0 for sums over all classes together only.
  explicit PredictionWeights(int64_t classes) : classes_(classes) {}

  // Returns the sums over all classes of `predictions` predictions of weight 1, of which `right`
  // are correct.
  static PredictionWeights Ones(int64_t predictions, int64_t right);

  // Adds an example. A weight beyond ExactSum::kLargestTerm counts as that. REQUIRES: a finite
  // weight of at least 0; label and prediction below the number of classes, if there are any.
  void Add(int64_t label, int64_t predicted, double weight);
  // Returns false and changes nothing if a sum does not fit, or if both have classes but different
  // numbers of them.
  [[nodiscard]] bool Merge(const PredictionWeights& other);
  // Keeps the sums over all classes together only.
  void DropClasses() { classes_.clear(); }

  const ExactSum& all() const { return all_; }
  const ExactSum& right() const { return right_; }
  // Empty if there are only sums over all classes together.
  const std::vector<OfClass>& classes() const { return classes_; }
  int64_t Bytes() const { return static_cast<int64_t>(classes_.size() * sizeof(OfClass)); }

  // Returns whether this number of predictions can have these sums: no sum is negative, and none
  // exceeds the sum that contains it or what the predictions can add up to.
  bool ArePossible(int64_t predictions) const;

  // {"all","right"[,"classes"]}: texts (ExactSum::ToText), three for each class. A round trip is
  // exact.
  Json ToJson() const;
  // InvalidArgument lists the mistakes. `classes` is the number of classes that the document must
  // have.
  static StatusOr<PredictionWeights> FromJson(const Json& json, std::string path, int64_t classes);

  bool operator==(const PredictionWeights&) const = default;

 private:
  ExactSum all_, right_;
  std::vector<OfClass> classes_;
};

}  // namespace dl::nn

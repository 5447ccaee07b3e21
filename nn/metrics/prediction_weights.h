// Sums of the weights of examples. If examples have weights, accuracy and the metrics of classes
// are computed from these sums.
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

  // Starts with sums of 0. There are sums for each class if `classes` is above 0, and always sums
  // over all classes.
  explicit PredictionWeights(int64_t classes) : classes_(classes) {}

  // Returns the sums of `predictions` predictions of weight 1, of which `right` are correct. Has
  // sums over all classes only.
  static PredictionWeights Ones(int64_t predictions, int64_t right);

  // Adds an example. A weight above ExactSum::kLargestTerm counts as kLargestTerm. REQUIRES: a
  // finite weight of at least 0. If there are sums for each class, `label` and `predicted` are from
  // 0 to the number of classes - 1.
  void Add(int64_t label, int64_t predicted, double weight);
  // Adds the sums of `other`. If only this object or only `other` has sums for each class, the
  // result has these sums unchanged. Returns false and changes nothing if a sum does not fit, or if
  // both have sums for each class but different numbers of classes.
  [[nodiscard]] bool Merge(const PredictionWeights& other);
  // Removes the sums for each class.
  void DropClasses() { classes_.clear(); }

  const ExactSum& all() const { return all_; }      // weights of all examples
  const ExactSum& right() const { return right_; }  // weights of correctly predicted examples
  // Returns the sums for each class; empty if there are none.
  const std::vector<OfClass>& classes() const { return classes_; }
  // Returns the size in bytes of the sums for each class.
  int64_t Bytes() const { return static_cast<int64_t>(classes_.size() * sizeof(OfClass)); }

  // Returns whether this number of predictions can have these sums. No sum may be negative. right()
  // and the sums of each class may not exceed all(). `right` of a class may exceed neither its
  // `labelled` nor its `predicted`. all() may not exceed `predictions` * ExactSum::kLargestTerm.
  // Sums are compared as doubles.
  bool ArePossible(int64_t predictions) const;

  // Returns {"all","right"[,"classes"]}. Sums are texts (ExactSum::ToText). "classes" is a flat
  // list of `labelled`, `predicted` and `right` of each class. A round trip is exact.
  Json ToJson() const;
  // Reads what ToJson returns. `path` begins the paths in messages. `classes` is the number of
  // classes that the document must have; 0: none. Returns InvalidArgument with a list of the
  // mistakes.
  static StatusOr<PredictionWeights> FromJson(const Json& json, std::string path, int64_t classes);

  bool operator==(const PredictionWeights&) const = default;

 private:
  ExactSum all_, right_;
  std::vector<OfClass> classes_;
};

}  // namespace dl::nn

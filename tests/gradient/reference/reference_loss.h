// The losses of nn/conf/losses in float64, row by row and from their formulas. A loss is the mean
// over the rows of a minibatch, or over its examples if the loss judges whole examples.
#pragma once

#include <limits>
#include <memory>

#include "nn/conf/losses/loss_registry.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

// Labels and targets that a minibatch is compared with. The loss decides which member it reads.
struct Expected {
  // [rows]; a row with a negative label does not count. If examples are judged as a whole, each
  // example has the same number of labels.
  std::span<const int32_t> labels;
  std::span<const float> targets;  // [rows, outputs]
  // [examples]; factors of each example's losses. Empty: all are 1. The mean still divides by the
  // number of rows that count.
  std::span<const float> weights = {};

  // Returns the weight of row or example `judged` of `all`.
  double WeightOf(int64_t judged, int64_t all) const {
    if (weights.empty()) return 1;
    return static_cast<double>(weights[judged * static_cast<int64_t>(weights.size()) / all]);
  }
};

// Owns the values of an Expected.
struct ExpectedValues {
  std::vector<int32_t> labels;
  std::vector<float> targets;
  std::vector<float> weights;

  Expected View() const { return {.labels = labels, .targets = targets, .weights = weights}; }
};

// Label and targets that one row is compared with. If an example is judged as a whole, it is one
// row of all its concatenated steps.
struct ExpectedRow {
  int32_t label = 0;
  std::span<const float> targets;
  std::span<const int32_t> labels = {};
  int64_t steps = 1;
  double weight = 1;
};

class RowLoss {
 public:
  using Row = std::span<const double>;  // [outputs]

  virtual ~RowLoss() = default;
  virtual bool JudgesExamples() const { return false; }
  virtual double Of(Row z, const ExpectedRow& expected) const = 0;
  virtual Values Gradient(Row z, const ExpectedRow& expected) const = 0;
  virtual Values Prediction(Row z) const { return Values(z.begin(), z.end()); }
  // Returns the distance of the row from a point where the loss has no derivative; infinity if
  // there is no such point.
  virtual double KinkDistance(Row, const ExpectedRow&) const {
    return std::numeric_limits<double>::infinity();
  }
};

std::unique_ptr<const RowLoss> MakeRowLoss(const nn::LossConf& conf);

class Loss {
 public:
  // `steps`: steps per example.
  explicit Loss(const nn::LossConf& conf, int64_t steps = 1)
      : row_(MakeRowLoss(conf)), steps_(steps) {}

  // `rows`: number of steps of all examples.
  double Of(const Values& z, int64_t rows, const Expected& expected) const;
  Values Gradient(const Values& z, int64_t rows, const Expected& expected) const;
  Values Predictions(const Values& z, int64_t rows) const;
  double KinkDistance(const Values& z, int64_t rows, const Expected& expected) const;

 private:
  // Returns the number of rows, or of examples if the loss judges whole examples.
  int64_t JudgedOf(int64_t rows) const { return row_->JudgesExamples() ? rows / steps_ : rows; }
  double CountedOf(int64_t rows, const Expected& expected) const;
  template <typename Visit>
  void ForEachJudged(const Values& z, int64_t rows, const Expected& expected, Visit visit) const;

  std::unique_ptr<const RowLoss> row_;
  int64_t steps_;
};

}  // namespace dl::reference

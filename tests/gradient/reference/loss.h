// The losses of nn/conf/losses in float64, row by row and from their formulas: the mean over the
// rows of a minibatch, or over its examples where these are judged as a whole.
#pragma once

#include <limits>
#include <memory>

#include "nn/conf/losses/registry.h"
#include "tests/gradient/reference/layer.h"

namespace dl::reference {

// What a minibatch is compared with; the loss decides which one is read.
struct Expected {
  // [rows], a negative one's does not count; where examples are judged as a whole so many for each.
  std::span<const int32_t> labels;
  std::span<const float> targets;  // [rows, outputs]
  // [examples], factors of the losses of each example; empty: all are 1. The mean stays over the
  // number of what counts.
  std::span<const float> weights = {};

  // Weight of the `judged`-th of `all` rows, or examples, that are judged.
  double WeightOf(int64_t judged, int64_t all) const {
    if (weights.empty()) return 1;
    return static_cast<double>(weights[judged * static_cast<int64_t>(weights.size()) / all]);
  }
};

// The same with what it consists of.
struct ExpectedValues {
  std::vector<int32_t> labels;
  std::vector<float> targets;
  std::vector<float> weights;

  Expected View() const { return {.labels = labels, .targets = targets, .weights = weights}; }
};

// What one row is compared with; where an example is judged as a whole, it is one row, of all its
// steps one behind the other.
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
  // How far the row is from a point where the loss has no derivative, or that has none.
  virtual double KinkDistance(Row, const ExpectedRow&) const {
    return std::numeric_limits<double>::infinity();
  }
};

std::unique_ptr<const RowLoss> MakeRowLoss(const nn::LossConf& conf);

class Loss {
 public:
  // `steps`: of an example.
  explicit Loss(const nn::LossConf& conf, int64_t steps = 1)
      : row_(MakeRowLoss(conf)), steps_(steps) {}

  // `rows`: steps of all examples.
  double Of(const Values& z, int64_t rows, const Expected& expected) const;
  Values Gradient(const Values& z, int64_t rows, const Expected& expected) const;
  Values Predictions(const Values& z, int64_t rows) const;
  double KinkDistance(const Values& z, int64_t rows, const Expected& expected) const;

 private:
  // What is judged by itself: rows, or whole examples.
  int64_t JudgedOf(int64_t rows) const { return row_->JudgesExamples() ? rows / steps_ : rows; }
  double CountedOf(int64_t rows, const Expected& expected) const;
  template <typename Visit>
  void ForEachJudged(const Values& z, int64_t rows, const Expected& expected, Visit visit) const;

  std::unique_ptr<const RowLoss> row_;
  int64_t steps_;
};

}  // namespace dl::reference

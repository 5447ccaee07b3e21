// The losses of nn/conf/losses in float64, row by row and from their formulas: the mean over the
// examples of a minibatch.
#pragma once

#include <limits>
#include <memory>

#include "nn/conf/losses/registry.h"
#include "tests/gradient/reference/layer.h"

namespace dl::reference {

// What a minibatch is compared with; the loss decides which one is read.
struct Expected {
  std::span<const int32_t> labels;  // [examples]; a negative one's does not count
  std::span<const float> targets;   // [examples, outputs]
};

// The same with what it consists of.
struct ExpectedValues {
  std::vector<int32_t> labels;
  std::vector<float> targets;

  Expected View() const { return {.labels = labels, .targets = targets}; }
};

// What one example is compared with.
struct ExpectedRow {
  int32_t label = 0;
  std::span<const float> targets;
};

class RowLoss {
 public:
  using Row = std::span<const double>;  // [outputs]

  virtual ~RowLoss() = default;
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
  explicit Loss(const nn::LossConf& conf) : row_(MakeRowLoss(conf)) {}

  double Of(const Values& z, int64_t examples, const Expected& expected) const;
  Values Gradient(const Values& z, int64_t examples, const Expected& expected) const;
  Values Predictions(const Values& z, int64_t examples) const;
  double KinkDistance(const Values& z, int64_t examples, const Expected& expected) const;

 private:
  std::unique_ptr<const RowLoss> row_;
};

}  // namespace dl::reference

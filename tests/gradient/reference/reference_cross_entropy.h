// Cross-entropies by definition: -sum of q log p.
#pragma once

#include "tests/gradient/reference/reference_loss.h"

namespace dl::reference {

class SoftmaxCrossEntropy : public RowLoss {
 public:
  explicit SoftmaxCrossEntropy(double smoothing) : smoothing_(smoothing) {}
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  Values Prediction(Row z) const override;

 private:
  Values Distribution(size_t classes, int32_t label) const;  // q

  double smoothing_;
};

class BinaryCrossEntropy : public RowLoss {
 public:
  // `positive`: weight of the answer yes, one for all outputs or one per output. Empty: 1.
  explicit BinaryCrossEntropy(Values positive) : positive_(std::move(positive)) {}
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  Values Prediction(Row z) const override;

 private:
  double Positive(size_t i) const {
    return positive_.empty() ? 1 : positive_.size() == 1 ? positive_[0] : positive_[i];
  }

  Values positive_;
};

class KlDivergence : public RowLoss {
 public:
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  Values Prediction(Row z) const override;
};

}  // namespace dl::reference

// Cross-entropies by their definition: -sum of q log p.
#pragma once

#include "tests/gradient/reference/loss.h"

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
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  Values Prediction(Row z) const override;
};

class KlDivergence : public RowLoss {
 public:
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  Values Prediction(Row z) const override;
};

}  // namespace dl::reference

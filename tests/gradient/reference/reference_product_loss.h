// Losses of products of outputs and targets: hinge, Poisson, cosine.
#pragma once

#include "tests/gradient/reference/reference_loss.h"

namespace dl::reference {

// Mean of max(0, 1 - t z)^power.
class Hinge : public RowLoss {
 public:
  explicit Hinge(int power) : power_(power) {}
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  double KinkDistance(Row z, const ExpectedRow& expected) const override;

 private:
  int power_;
};

class Poisson : public RowLoss {
 public:
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  Values Prediction(Row z) const override;
};

class Cosine : public RowLoss {
 public:
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
};

}  // namespace dl::reference

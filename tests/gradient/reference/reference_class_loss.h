// Losses over classes that use a softmax, multiplied by the weight of the example's class.
#pragma once

#include <vector>

#include "tests/gradient/reference/reference_cross_entropy.h"

namespace dl::reference {

class WeightedByClass : public RowLoss {
 public:
  WeightedByClass(std::unique_ptr<const RowLoss> loss, std::vector<double> weights)
      : loss_(std::move(loss)), weights_(std::move(weights)) {}
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  Values Prediction(Row z) const override { return loss_->Prediction(z); }

 private:
  double WeightOf(const ExpectedRow& expected) const;

  std::unique_ptr<const RowLoss> loss_;
  std::vector<double> weights_;
};

class Focal : public RowLoss {
 public:
  explicit Focal(double gamma) : gamma_(gamma) {}
  double Of(Row z, const ExpectedRow& expected) const override;
  Values Gradient(Row z, const ExpectedRow& expected) const override;
  Values Prediction(Row z) const override;

 private:
  double gamma_;
};

}  // namespace dl::reference

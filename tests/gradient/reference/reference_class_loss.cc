#include "tests/gradient/reference/reference_class_loss.h"

#include <cmath>

namespace dl::reference {

double WeightedByClass::WeightOf(const ExpectedRow& expected) const {
  const auto label = static_cast<size_t>(expected.label);
  return label < weights_.size() ? weights_[label] : 1;
}

double WeightedByClass::Of(Row z, const ExpectedRow& expected) const {
  return WeightOf(expected) * loss_->Of(z, expected);
}

Values WeightedByClass::Gradient(Row z, const ExpectedRow& expected) const {
  Values gradient = loss_->Gradient(z, expected);
  for (double& g : gradient) g *= WeightOf(expected);
  return gradient;
}

double Focal::Of(Row z, const ExpectedRow& expected) const {
  const double p = Prediction(z)[expected.label];
  return -std::pow(1 - p, gamma_) * std::log(p);
}

// By the chain rule: dL/dp = gamma (1 - p)^(gamma - 1) log p - (1 - p)^gamma / p, and
// dp/dz_k = p ([k = c] - p_k).
Values Focal::Gradient(Row z, const ExpectedRow& expected) const {
  const Values all = Prediction(z);
  const double p = all[expected.label];
  const double by_p =
      gamma_ * std::pow(1 - p, gamma_ - 1) * std::log(p) - std::pow(1 - p, gamma_) / p;
  Values gradient;
  for (size_t k = 0; k < all.size(); ++k) {
    const double own = static_cast<int32_t>(k) == expected.label ? 1 : 0;
    gradient.push_back(by_p * p * (own - all[k]));
  }
  return gradient;
}

Values Focal::Prediction(Row z) const { return SoftmaxCrossEntropy(0).Prediction(z); }

}  // namespace dl::reference

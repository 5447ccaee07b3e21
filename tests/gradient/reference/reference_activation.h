// The functions of nn/conf/activation.h, computed with libm. At 0, rectifiers have the derivative
// of their left side.
#pragma once

#include "nn/conf/activation.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class Activation : public Layer {
 public:
  explicit Activation(nn::ActivationConf conf) : conf_(conf) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  double KinkDistance() const override;

 private:
  double Derivative(size_t i) const;

  nn::ActivationConf conf_;
  Values x_, y_;
  int64_t examples_ = 0;
};

// Returns exp(x_i) / sum over j of exp(x_j), for each row.
Values SoftmaxOfRows(const Values& x, int64_t rows);

}  // namespace dl::reference

// Over each row y = gamma (x - m) / sqrt(v + epsilon) + beta, as nn/conf/layers/layer_norm.h says,
// and gamma x / sqrt(mean of squares + epsilon), as rms_norm.h there.
#pragma once

#include "tests/gradient/reference/layer.h"

namespace dl::reference {

class LayerNorm : public Layer {
 public:
  LayerNorm(Tensor gamma, Tensor beta, double epsilon)
      : gamma_(gamma), beta_(beta), epsilon_(epsilon) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  Tensor gamma_, beta_;
  double epsilon_;
  Values normalized_, deviations_;
};

class RmsNorm : public Layer {
 public:
  RmsNorm(Tensor gamma, double epsilon) : gamma_(gamma), epsilon_(epsilon) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  Tensor gamma_;
  double epsilon_;
  Values x_, roots_;
};

}  // namespace dl::reference

// nn/conf/layers/gaussian_sample.h. Value i of the minibatch uses the i-th normal number of the
// stream (seed, kGaussianSample, layer and epoch, round, worker and step).
#pragma once

#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class GaussianSample : public Layer {
 public:
  GaussianSample(double kl_weight, uint64_t layer_index)
      : kl_weight_(kl_weight), layer_index_(layer_index) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  double Penalty() const override;

 private:
  double kl_weight_;
  uint64_t layer_index_;
  int64_t rows_ = 0, n_ = 0;  // n: number of values in a row's distribution
  Values x_, noise_;
};

}  // namespace dl::reference

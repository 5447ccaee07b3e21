// The formulas of nn/conf/layers/batch_norm.h. The gradient follows the chain rule in Ioffe and
// Szegedy, ICML 2015, section 3: through y, then through the variance, then through the mean.
#pragma once

#include "nn/conf/input_type.h"
#include "nn/conf/layers/batch_norm.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class BatchNorm : public Layer {
 public:
  struct Tensors {
    Tensor gamma, beta, mean, variance;
  };
  BatchNorm(const Tensors& tensors, nn::BatchNorm conf, const nn::InputType& input)
      : tensors_(tensors), conf_(std::move(conf)), input_(input) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  void FinishStep() override;

 private:
  std::vector<size_t> ElementsOf(int64_t channel) const;  // indices into x, over all examples

  Tensors tensors_;
  nn::BatchNorm conf_;
  nn::InputType input_;
  Values x_, mean_, variance_;  // mean and variance of the minibatch
};

}  // namespace dl::reference

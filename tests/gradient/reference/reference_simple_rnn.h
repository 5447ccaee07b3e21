// The steps of nn/conf/layers/simple_rnn.h, given W x + b of all steps. Each step uses the
// activation of activation.h.
#pragma once

#include "tests/gradient/reference/reference_activation.h"
#include "tests/gradient/reference/reference_dropout.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class SimpleRnn : public Layer {
 public:
  struct Shape {
    int64_t steps = 0, units = 0;
    nn::ActivationConf activation;
    RecurrentDropout dropout;
  };
  // `state` is set in stateful layers only.
  SimpleRnn(Tensor weight, Tensor state, const Shape& shape)
      : weight_(weight), state_(state), shape_(shape) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  void FinishStep() override;
  double KinkDistance() const override;

 private:
  Tensor weight_, state_;
  Shape shape_;
  int64_t examples_ = 0;
  std::vector<Activation> activations_;  // by step, for all examples
  std::vector<Values> states_;  // by step, for all examples; the first are the states before step 0
  Values mask_;                 // of the states of one step
};

}  // namespace dl::reference

// First and last layers of the networks in the table of bits.
#pragma once

#include <utility>

#include "nn/conf/sequential.h"
#include "tests/golden/kernel_models.h"

namespace dl::test {

inline nn::Sequential Start(const nn::InputType& input) {
  return nn::Sequential("kernels")
      .Seed(11)
      .WeightInit(nn::He())
      .Updater(nn::Sgd(0.05))
      .Input(input);
}

inline nn::ModelConfig End(nn::Sequential sequential, int64_t classes = 10) {
  return Must(sequential.Layer(nn::Output(classes).Loss(nn::SoftmaxCrossEntropy())).Build());
}

}  // namespace dl::test

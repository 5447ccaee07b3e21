// Models used by several tests of this folder.
#pragma once

#include "nn/conf/sequential.h"

namespace dl::nn {

// LeCun et al. 1998, in the variant of Caffe: 431,080 parameters.
inline Sequential LeNet() {
  return Sequential("lenet5")
      .Seed(42)
      .Updater(Nesterov(0.02).Momentum(0.9))
      .WeightInit(Xavier())
      .Input(Image(1, 28, 28))
      .Layer(Conv2D(20).Kernel(5).Activation(Tanh()).Name("conv1"))
      .Layer(MaxPool2D(2).Stride(2))
      .Layer(Conv2D(50).Kernel(5).Activation(Tanh()).Name("conv2"))
      .Layer(MaxPool2D(2).Stride(2))
      .Layer(Dense(500).Activation(Tanh()))
      .Layer(Output(10).Loss(SoftmaxCrossEntropy()));
}

// A small model with all kinds of segments.
inline Sequential SmallWithMoments(UpdaterConf updater) {
  return Sequential("small")
      .Updater(updater)
      .L2(0.001)
      .WeightDecay(0.01)
      .WeightConstraint(MaxNorm(2))
      .Input(Image(2, 6, 6))
      .Layer(Conv2D(4).Kernel(3).Groups(2).NoBias().Name("conv"))
      .Layer(BatchNorm().Name("bn"))
      .Layer(ActivationLayer(Relu()))
      .Layer(Dropout(0.25))
      .Layer(Dense(5).L2(0.5).WeightConstraint(UnitNorm()).Name("dense"))
      .Layer(Output(3).Name("out"));
}

}  // namespace dl::nn

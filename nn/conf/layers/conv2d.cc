#include "nn/conf/layers/conv2d.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<LayerSample> Conv2D::Samples() {
  return {
      {Conv2D(4).Kernel(3), Image(1, 6, 6)},
      {Conv2D(3).Kernel(5).Activation(Tanh()), Image(2, 9, 8)},
      {Conv2D(8).Kernel(3).Padding(1).Activation(Relu()), Image(3, 5, 7)},
      {Conv2D(5).Kernel(2, 3).Stride(2, 1).Padding(1, 2).NoBias(), Image(3, 6, 5)},
      {Conv2D(6).Kernel(3).Groups(2).Stride(2).WeightInit(He()), Image(4, 8, 8)},
      {Conv2D(4).Kernel(3).Groups(4).Padding(1).Activation(LeakyRelu(0.1)), Image(4, 4, 4)},
      {Conv2D(7).Kernel(1).Activation(Sigmoid()).L2(0.001).WeightDecay(0.01), Image(3, 3, 3)},
      {Conv2D(3).Kernel(2).L1(0.01).LearningRateFactor(2).Frozen(), Image(2, 4, 4)},
      {Conv2D(5).Kernel(3).WeightConstraint(UnitNorm()), Image(3, 5, 4)},
      {Conv2D(6).Kernel(2).Groups(3).WeightConstraint(MaxNorm(0.3)), Image(6, 4, 3)},
      {Conv2D(4).Kernel(3).Dilation(2), Image(2, 8, 7)},
      {Conv2D(3).Kernel(3, 2).Dilation(2, 3).Padding(4, 1).Activation(Tanh()), Image(2, 5, 7)},
      {Conv2D(3).Kernel(4).Stride(3, 2).SamePadding(), Image(2, 8, 7)},
      {Conv2D(4).Kernel(2, 3).Dilation(3, 2).Groups(2).SamePadding().NoBias(), Image(4, 7, 6)},
      {Conv2D(3).Kernel(2).Activation(Sigmoid()).BiasInit(-0.5), Image(2, 4, 5)},
  };
}

}  // namespace dl::nn

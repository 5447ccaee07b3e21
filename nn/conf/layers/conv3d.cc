#include "nn/conf/layers/conv3d.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<LayerSample> Conv3D::Samples() {
  return {
      {Conv3D(4).Kernel(3), Volume(1, 5, 4, 6)},
      {Conv3D(3).Kernel(2, 3, 1).Activation(Tanh()), Volume(2, 4, 5, 3)},
      {Conv3D(8).Kernel(3).Padding(1).Activation(Relu()), Volume(3, 3, 4, 5)},
      {Conv3D(5).Kernel(1, 2, 3).Stride(1, 2, 1).Padding(0, 1, 2).NoBias(), Volume(3, 2, 5, 4)},
      {Conv3D(17).Kernel(2).Stride(2, 1, 2), Volume(2, 4, 3, 5)},
      {Conv3D(6).Kernel(2).Groups(2).Stride(2).WeightInit(He()), Volume(4, 4, 5, 6)},
      {Conv3D(4).Kernel(3).Groups(4).Padding(1).Activation(LeakyRelu(0.1)), Volume(4, 3, 2, 4)},
      {Conv3D(7).Kernel(1).Activation(Sigmoid()).L2(0.001).WeightDecay(0.01), Volume(3, 2, 3, 2)},
      {Conv3D(3).Kernel(2).L1(0.01).LearningRateFactor(2).Frozen(), Volume(2, 3, 3, 3)},
      {Conv3D(5).Kernel(2).WeightConstraint(UnitNorm()), Volume(3, 3, 4, 2)},
      {Conv3D(4).Kernel(2, 3, 2).Dilation(2, 1, 3).Padding(1, 0, 2), Volume(2, 4, 3, 5)},
      {Conv3D(3).Kernel(3, 4, 2).Stride(2, 3, 1).SamePadding(), Volume(2, 5, 7, 4)},
      {Conv3D(4).Kernel(2, 1, 3).Dilation(2).Groups(2).SamePadding().NoBias(), Volume(4, 4, 2, 5)},
      {Conv3D(3).Kernel(2).BiasInit(-0.5), Volume(2, 3, 4, 3)},
  };
}

}  // namespace dl::nn

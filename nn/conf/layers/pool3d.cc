#include "nn/conf/layers/pool3d.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<LayerSample> MaxPool3D::Samples() {
  return {
      {MaxPool3D(2), Volume(2, 4, 6, 4)},
      {MaxPool3D(3).Stride(2), Volume(3, 5, 4, 7)},
      {MaxPool3D(3).Stride(2).Padding(1), Volume(1, 4, 5, 3)},
      {MaxPool3D(2).Stride(2).CeilMode(), Volume(2, 3, 4, 5)},
      {MaxPool3D(1, 2, 3).Stride(1, 1, 2).Padding(0, 1, 0), Volume(2, 3, 4, 7)},
      {MaxPool3D(2, 3, 2).Stride(2, 2, 1).SamePadding(), Volume(17, 3, 5, 4)},
  };
}

std::vector<LayerSample> AvgPool3D::Samples() {
  return {
      {AvgPool3D(2), Volume(2, 4, 6, 4)},
      {AvgPool3D(3).Stride(2).Padding(1).CountPadding(), Volume(1, 4, 5, 3)},
      {AvgPool3D(3).Stride(2), Volume(3, 5, 4, 7)},
      {AvgPool3D(2).Stride(2).CeilMode(), Volume(2, 3, 4, 5)},
      {AvgPool3D(3).Stride(2).Padding(1), Volume(1, 4, 5, 3)},
      {AvgPool3D(1, 2, 3).Stride(1, 1, 2).Padding(0, 1, 0), Volume(2, 3, 4, 7)},
      {AvgPool3D(4, 3, 2).Stride(3, 1, 2).SamePadding(), Volume(17, 5, 3, 4)},
  };
}

}  // namespace dl::nn

#include "nn/conf/layers/pool2d.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<LayerSample> MaxPool2D::Samples() {
  return {
      {MaxPool2D(2), Image(2, 6, 6)},
      {MaxPool2D(3).Stride(2), Image(3, 8, 7)},
      {MaxPool2D(3).Stride(2).Padding(1), Image(1, 7, 7)},
      {MaxPool2D(3).Stride(2).CeilMode(), Image(2, 6, 7)},
      {MaxPool2D(2, 3).Stride(3, 2).Padding(1).CeilMode(), Image(1, 6, 6)},
      {MaxPool2D(2, 3).Stride(1, 2).Padding(1, 0), Image(2, 4, 9)},
      {MaxPool2D(2).SamePadding(), Image(2, 7, 5)},
      {MaxPool2D(3, 2).Stride(2, 1).SamePadding(), Image(2, 6, 5)},
  };
}

std::vector<LayerSample> AvgPool2D::Samples() {
  return {
      {AvgPool2D(2), Image(2, 6, 6)},
      {AvgPool2D(3).Stride(2), Image(3, 8, 7)},
      {AvgPool2D(3).Stride(2).Padding(1), Image(1, 7, 7)},
      {AvgPool2D(3).Stride(2).CeilMode(), Image(2, 6, 7)},
      {AvgPool2D(2, 3).Stride(3, 2).Padding(1).CeilMode(), Image(1, 6, 6)},
      {AvgPool2D(2, 3).Stride(1, 2).Padding(0, 1), Image(2, 4, 9)},
      {AvgPool2D(2).SamePadding(), Image(2, 7, 5)},
      {AvgPool2D(4, 3).Stride(3, 1).SamePadding(), Image(2, 8, 5)},
      {AvgPool2D(3).Stride(2).Padding(1).CountPadding(), Image(2, 7, 6)},
      {AvgPool2D(3, 2).Stride(2).SamePadding().CountPadding(), Image(1, 6, 5)},
  };
}

}  // namespace dl::nn

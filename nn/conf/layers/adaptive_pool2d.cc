#include "nn/conf/layers/adaptive_pool2d.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<LayerSample> AdaptiveAvgPool2D::Samples() {
  return {
      {AdaptiveAvgPool2D(1), Image(2, 3, 4)},
      {AdaptiveAvgPool2D(2, 3), Image(3, 5, 7)},
      {AdaptiveAvgPool2D(4, 2), Image(1, 3, 4)},  // more rows than the input has
  };
}

std::vector<LayerSample> AdaptiveMaxPool2D::Samples() {
  return {
      {AdaptiveMaxPool2D(1), Image(2, 3, 4)},
      {AdaptiveMaxPool2D(2, 3), Image(3, 5, 7)},
      {AdaptiveMaxPool2D(4, 2), Image(1, 3, 4)},
  };
}

}  // namespace dl::nn

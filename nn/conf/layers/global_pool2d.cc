#include "nn/conf/layers/global_pool2d.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<LayerSample> GlobalAvgPool2D::Samples() {
  return {
      {GlobalAvgPool2D(), Image(3, 5, 7)},
      {GlobalAvgPool2D(), Image(17, 2, 2)},
      {GlobalAvgPool2D(), Image(2, 1, 1)},
  };
}

}  // namespace dl::nn

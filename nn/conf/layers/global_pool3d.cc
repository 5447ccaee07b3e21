#include "nn/conf/layers/global_pool3d.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::vector<LayerSample> GlobalAvgPool3D::Samples() {
  return {
      {GlobalAvgPool3D(), Volume(3, 4, 5, 3)},
      {GlobalAvgPool3D(), Volume(17, 2, 2, 3)},
      {GlobalAvgPool3D(), Volume(2, 1, 1, 2)},
  };
}

}  // namespace dl::nn

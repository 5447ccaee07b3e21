#include "nn/conf/layers/upsample2d.h"

#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> Upsample2D::OutputType(const InputType& input, Mistakes&) const {
  return Image(input.channels, input.height * scale.height, input.width * scale.width);
}

std::vector<LayerSample> Upsample2D::Samples() {
  return {
      {Upsample2D(), Image(2, 3, 4)},
      {Upsample2D(3, 1), Image(3, 2, 5)},
      {Upsample2D(1, 4), Image(1, 4, 3)},
  };
}

}  // namespace dl::nn

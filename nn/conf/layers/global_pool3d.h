// Average pooling over the whole volume. Each channel becomes its mean, as for images in
// nn/conf/layers/global_pool2d.h. The output is a volume of 1 x 1 x 1.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct GlobalAvgPool3D : NamedLayer<GlobalAvgPool3D> {
  static constexpr std::string_view kTag = "global_avg_pool3d";
  static constexpr std::string_view kNamePrefix = "global_pool";
  static constexpr InputNeed kNeeds = InputNeed::kVolume;

  bool operator==(const GlobalAvgPool3D&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const {
    return Volume(input.channels, 1, 1, 1);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

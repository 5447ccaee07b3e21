// Average pooling over the whole image. Each channel becomes its mean (Lin, Chen, Yan, ICLR 2014,
// section 3.2). The output is an image of 1 x 1.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct GlobalAvgPool2D : NamedLayer<GlobalAvgPool2D> {
  static constexpr std::string_view kTag = "global_avg_pool2d";
  static constexpr std::string_view kNamePrefix = "global_pool";
  static constexpr InputNeed kNeeds = InputNeed::kImage;

  bool operator==(const GlobalAvgPool2D&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const {
    return Image(input.channels, 1, 1);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

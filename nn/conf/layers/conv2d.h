// 2-D convolution of images. See nn/conf/layers/convolution.h; W is [filters, channels / groups,
// kernel height, kernel width].
#pragma once

#include "nn/conf/layers/convolution.h"

namespace dl::nn {

struct LayerSample;

struct Conv2D : Convolution<Conv2D, Extent2D> {
  static constexpr std::string_view kTag = "conv2d";
  static constexpr std::string_view kNamePrefix = "conv";
  static constexpr InputNeed kNeeds = InputNeed::kImage;

  using Convolution::Convolution;
  bool operator==(const Conv2D&) const = default;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

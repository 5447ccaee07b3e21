// 3-D convolution of volumes (Ji, Xu, Yang, Yu, "3D convolutional neural networks for human action
// recognition", ICML 2010, equation 2). See nn/conf/layers/convolution.h; W is [filters, channels /
// groups, kernel depth, kernel height, kernel width].
#pragma once

#include "nn/conf/layers/convolution.h"

namespace dl::nn {

struct LayerSample;

struct Conv3D : Convolution<Conv3D, Extent3D> {
  static constexpr std::string_view kTag = "conv3d";
  static constexpr std::string_view kNamePrefix = "conv";
  static constexpr InputNeed kNeeds = InputNeed::kVolume;

  using Convolution::Convolution;
  bool operator==(const Conv3D&) const = default;
  static std::vector<LayerSample> Samples();  // for tests
};

}  // namespace dl::nn

// Max and average pooling of images. See nn/conf/layers/pool.h.
#pragma once

#include "nn/conf/layers/pool.h"

namespace dl::nn {

struct LayerSample;

struct MaxPool2D : Pool<MaxPool2D, Extent2D> {
  static constexpr std::string_view kTag = "max_pool2d";
  static constexpr InputNeed kNeeds = InputNeed::kImage;
  using Pool::Pool;
  bool operator==(const MaxPool2D&) const = default;
  static std::vector<LayerSample> Samples();
};

struct AvgPool2D : Pool<AvgPool2D, Extent2D> {
  static constexpr std::string_view kTag = "avg_pool2d";
  static constexpr InputNeed kNeeds = InputNeed::kImage;
  using Pool::Pool;
  AvgPool2D& CountPadding() {
    count_padding = true;
    return *this;
  }

  bool count_padding = false;  // divides by the size of the kernel, padding counts as zeros

  bool operator==(const AvgPool2D&) const = default;
  void Check(Mistakes& mistakes) const {
    Pool::Check(mistakes);
    if (count_padding) CheckCountPadding(window, mistakes);
  }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    Pool::Fields(self, visit);
    visit(kCountPaddingField, self.count_padding);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

// Max and average pooling of volumes. See nn/conf/layers/pool.h.
#pragma once

#include "nn/conf/layers/pool.h"

namespace dl::nn {

struct LayerSample;

struct MaxPool3D : Pool<MaxPool3D, Extent3D> {
  static constexpr std::string_view kTag = "max_pool3d";
  static constexpr InputNeed kNeeds = InputNeed::kVolume;
  using Pool::Pool;
  bool operator==(const MaxPool3D&) const = default;
  static std::vector<LayerSample> Samples();
};

struct AvgPool3D : Pool<AvgPool3D, Extent3D> {
  static constexpr std::string_view kTag = "avg_pool3d";
  static constexpr InputNeed kNeeds = InputNeed::kVolume;
  using Pool::Pool;
  AvgPool3D& CountPadding() {
    count_padding = true;
    return *this;
  }

  bool count_padding = false;

  bool operator==(const AvgPool3D&) const = default;
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

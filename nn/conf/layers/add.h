// The sum of several inputs of one shape, value by value: a residual connection (He et al., CVPR
// 2016, section 3.2).
#pragma once

#include <span>

#include "nn/conf/layers/layer.h"

namespace dl::nn {

struct LayerSample;

struct Add : NamedLayer<Add> {
  static constexpr std::string_view kTag = "add";
  static constexpr std::string_view kNamePrefix = "add";
  static constexpr InputNeed kNeeds = InputNeed::kAny;
  static constexpr int64_t kMaxInputs = kMaxLayerInputs;

  bool operator==(const Add&) const = default;
  std::optional<InputType> OutputType(std::span<const InputType> inputs, Mistakes& mistakes) const;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

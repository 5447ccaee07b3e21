// Pooling over the steps of a sequence. Each feature becomes its mean or its maximum over the steps
// of the example. Rows of padding after the example's last step do not count. For equal maxima, the
// gradient goes to the earliest step.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

template <typename Self>
struct GlobalPool1D : NamedLayer<Self> {
  static constexpr std::string_view kNamePrefix = "global_pool";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr bool kTakesVariableLength = true;

  bool operator==(const GlobalPool1D&) const = default;
  // Returns the features of one step as a flat type. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes&) const {
    return FeedForward(input.channels);
  }
  static std::vector<LayerSample> Samples();
};

struct GlobalAvgPool1D : GlobalPool1D<GlobalAvgPool1D> {
  static constexpr std::string_view kTag = "global_avg_pool1d";
  bool operator==(const GlobalAvgPool1D&) const = default;
};

struct GlobalMaxPool1D : GlobalPool1D<GlobalMaxPool1D> {
  static constexpr std::string_view kTag = "global_max_pool1d";
  bool operator==(const GlobalMaxPool1D&) const = default;
};

}  // namespace dl::nn

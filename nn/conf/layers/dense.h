// Fully connected layer: y = activation(W x + b), W [units, inputs], b [units]. Each step of a
// sequence is computed separately, with the same weights.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Dense : WeightedLayer<Dense> {
  static constexpr std::string_view kTag = "dense";
  static constexpr std::string_view kNamePrefix = "dense";
  static constexpr InputNeed kNeeds = InputNeed::kRows;
  static constexpr bool kTakesVariableLength = true;

  Dense() = default;
  explicit Dense(int64_t unit_count) : units(unit_count) {}

  int64_t units = 0;  // 1 to limits::kMaxExtent; required

  bool operator==(const Dense&) const = default;
  // Returns `units` features, for each step if the input is a sequence. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::optional<InputType> OutputWithoutInput() const { return FeedForward(units); }
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kUnitsField, self.units);
    WeightKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

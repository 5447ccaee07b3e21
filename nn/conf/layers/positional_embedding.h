// Adds a trained row to each step of a sequence: y[t] = x[t] + W[t], W [steps, features] (Gehring
// et al., "Convolutional sequence to sequence learning", ICML 2017, section 3.1). If examples have
// variable length, W has a row for each step of the longest sequence that the input allows.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct PositionalEmbedding : LayerWithWeights<PositionalEmbedding> {
  static constexpr std::string_view kTag = "positional_embedding";
  static constexpr std::string_view kNamePrefix = "positions";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr bool kTakesVariableLength = true;

  bool operator==(const PositionalEmbedding&) const = default;
  // Returns `input`. Adds no mistake.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  // "weight" [steps, features].
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    StartKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

// Returns a row of weights for each index: y[t] = W[x[t]], W [indices, units] (Bengio et al., JMLR
// 3, 2003, equation 5, where W is C). Reads an input of the model whose values are integers from 0
// to indices - 1: a sequence with one index per step, or a single index.
#pragma once

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct Embedding : LayerWithWeights<Embedding> {
  static constexpr std::string_view kTag = "embedding";
  static constexpr std::string_view kNamePrefix = "embedding";
  static constexpr InputNeed kNeeds = InputNeed::kIndices;
  static constexpr bool kTakesVariableLength = true;

  Embedding() = default;
  Embedding(int64_t index_count, int64_t unit_count) : indices(index_count), units(unit_count) {}

  int64_t indices = 0;  // 1 to limits::kMaxExtent; required
  int64_t units = 0;    // 1 to limits::kMaxExtent; required

  bool operator==(const Embedding&) const = default;
  // Returns `units` features, for each step if the input is a sequence. Adds a mistake and returns
  // nullopt unless the input has one feature.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "indices",
                .what = "the number of indices",
                .min = 1,
                .max = limits::kMaxExtent,
                .presence = Field::Presence::kRequired,
                .meaning = "Number of rows of the embedding. Input values must be smaller"},
          self.indices);
    visit(kUnitsField, self.units);
    StartKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

// Multi-head attention between two sequences (Vaswani et al., NeurIPS 2017, section 3.2.3). The
// first input gives the queries, the second the keys and values. Both have F features per step.
// Each of h heads of size d = F / h computes softmax(Q K^T / sqrt(d)) V. Q is the product of the
// first input with "q_weight" [F, F] plus "q_bias". K and V are products of the second input with
// the first and second half of "kv_weight" [2F, F], plus "kv_bias". The concatenated heads are
// multiplied by "weight" [F, F] plus "bias". The output has as many steps as the first input.
#pragma once

#include <span>

#include "nn/conf/layers/layer_base.h"

namespace dl::nn {

struct LayerSample;

struct CrossAttention : LayerWithBias<CrossAttention> {
  static constexpr std::string_view kTag = "cross_attention";
  static constexpr std::string_view kNamePrefix = "attention";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr int64_t kMaxInputs = 2;

  CrossAttention() = default;
  explicit CrossAttention(int64_t head_count) : heads(head_count) {}

  // Sets the probability of dropping an attention weight in training.
  CrossAttention& DropWeights(double probability) {
    dropout = probability;
    return *this;
  }

  int64_t heads = 1;   // at least 1; divides the features
  double dropout = 0;  // of an attention weight, as in self_attention; 0 <= p < 1

  bool operator==(const CrossAttention&) const = default;
  // Returns the type of the first input. Adds a mistake and returns nullopt unless both inputs are
  // sequences with the same number of features, which `heads` divides.
  std::optional<InputType> OutputType(std::span<const InputType> inputs, Mistakes& mistakes) const;
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kHeadsField, self.heads);
    visit(kAttentionDropoutField, self.dropout);
    BiasKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

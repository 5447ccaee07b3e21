// Multi-head attention of one sequence to another (Vaswani et al., NeurIPS 2017, section 3.2.3):
// the first input asks, the second answers. Both have F features a step; with h heads of d = F / h,
// for each head softmax(Q K^T / sqrt(d)) V, where Q is the product of the first with "q_weight"
// [F, F] plus "q_bias", and K and V are products of the second with a half of "kv_weight" [2F, F]
// each, in this order, plus "kv_bias"; the heads, one behind the other, go through "weight" [F, F]
// and "bias". As many steps as the first input has.
#pragma once

#include <span>

#include "nn/conf/layers/layer.h"

namespace dl::nn {

struct LayerSample;

struct CrossAttention : LayerWithBias<CrossAttention> {
  static constexpr std::string_view kTag = "cross_attention";
  static constexpr std::string_view kNamePrefix = "attention";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr int64_t kMaxInputs = 2;

  CrossAttention() = default;
  explicit CrossAttention(int64_t head_count) : heads(head_count) {}

  // Drops a weight of the attention with this probability, in training.
  CrossAttention& DropWeights(double probability) {
    dropout = probability;
    return *this;
  }

  int64_t heads = 1;
  double dropout = 0;  // of a weight, as of self_attention; 0 <= p < 1

  bool operator==(const CrossAttention&) const = default;
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

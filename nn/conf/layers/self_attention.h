// Multi-head self-attention (Vaswani et al., NeurIPS 2017, section 3.2): with F features and h
// heads of d = F / h, for each head softmax(Q K^T / sqrt(d)) V, where Q, K and V are products of
// the input with a third of "qkv_weight" [3F, F] each, in this order, plus "qkv_bias"; the heads,
// one behind the other, go through "weight" [F, F] and "bias". Causal: a step sees itself and those
// before it. With dropout p the weights that the softmax gives are multiplied by a mask in
// training: 0 with probability p, else 1 / (1 - p), each weight by itself (PyTorch's
// MultiheadAttention). The mask of weight i of [examples, heads, steps, steps] is number i of the
// stream of random numbers.
#pragma once

#include "nn/conf/layers/layer.h"

namespace dl::nn {

struct LayerSample;

struct SelfAttention : LayerWithBias<SelfAttention> {
  static constexpr std::string_view kTag = "self_attention";
  static constexpr std::string_view kNamePrefix = "attention";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr bool kTakesVariableLength = true;

  SelfAttention() = default;
  explicit SelfAttention(int64_t head_count) : heads(head_count) {}
  SelfAttention& Causal() {
    causal = true;
    return *this;
  }

  // Drops a weight of the attention with this probability, in training.
  SelfAttention& DropWeights(double probability) {
    dropout = probability;
    return *this;
  }

  int64_t heads = 1;
  bool causal = false;
  double dropout = 0;  // of a weight; 0 <= p < 1

  bool operator==(const SelfAttention&) const = default;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kHeadsField, self.heads);
    visit(kCausalField, self.causal);
    visit(kAttentionDropoutField, self.dropout);
    BiasKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

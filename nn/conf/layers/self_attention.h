// Multi-head self-attention (Vaswani et al., NeurIPS 2017, section 3.2). The input has F features
// per step. Each of h heads of size d = F / h computes softmax(Q K^T / sqrt(d)) V. Q, K and V are
// products of the input with the first, second and last third of "qkv_weight" [3F, F], plus
// "qkv_bias". The concatenated heads are multiplied by "weight" [F, F] plus "bias". With `causal`,
// a step attends only to itself and to earlier steps.
//
// With dropout p, the outputs of the softmax are multiplied by a mask in training, each by its own
// value: 0 with probability p, otherwise 1 / (1 - p) (PyTorch's MultiheadAttention). The mask value
// of weight i of [examples, heads, steps, steps] is number i of the random stream.
#pragma once

#include "nn/conf/layers/layer_base.h"

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

  // Sets the probability of dropping an attention weight in training.
  SelfAttention& DropWeights(double probability) {
    dropout = probability;
    return *this;
  }

  int64_t heads = 1;  // at least 1; divides the features
  bool causal = false;
  double dropout = 0;  // of an attention weight; 0 <= p < 1

  bool operator==(const SelfAttention&) const = default;
  // Returns `input`. Adds a mistake and returns nullopt unless `heads` divides its features.
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

#include "nn/conf/layers/self_attention.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> SelfAttention::OutputType(const InputType& input,
                                                   Mistakes& mistakes) const {
  if (input.channels % heads != 0) {
    mistakes.Add(absl::StrCat(input.channels, " features cannot be shared by ", heads, " heads"),
                 "Choose a number of heads that divides the features");
    return std::nullopt;
  }
  return input;
}

std::vector<ParameterConf> SelfAttention::Parameters(const InputType& input,
                                                     const WeightDefaults& defaults) const {
  const int64_t n = input.channels;
  std::vector<ParameterConf> parameters;
  parameters.push_back(Weight("qkv_weight", {3 * n, n}, {.in = n, .out = n}, defaults));
  if (bias) parameters.push_back(Bias("qkv_bias", 3 * n, n, defaults));
  parameters.push_back(Weight("weight", {n, n}, {.in = n, .out = n}, defaults));
  if (bias) parameters.push_back(Bias("bias", n, n, defaults));
  return parameters;
}

std::vector<LayerSample> SelfAttention::Samples() {
  return {
      {SelfAttention(2), Sequence(3, 4)},
      {SelfAttention(1).Causal().WeightInit(Normal(0.5)), Sequence(5, 3)},
      {SelfAttention(3).Causal().NoBias().L2(0.01), Sequence(4, 6)},
      {SelfAttention(2).WeightDecay(0.1), Sequence(1, 2)},
      {SelfAttention(2).L1(0.001).LearningRateFactor(0.5), Sequence(3, 2)},
      {SelfAttention(1).Frozen(), Sequence(3, 2)},
      {SelfAttention(2).WeightConstraint(MaxNorm(0.6)), Sequence(3, 4)},
      {SelfAttention(2).BiasInit(0.125), Sequence(3, 4)},
      {SelfAttention(2).DropWeights(0.4), Sequence(3, 4)},
      {SelfAttention(1).Causal().DropWeights(0.25), Sequence(5, 3)},
  };
}

}  // namespace dl::nn

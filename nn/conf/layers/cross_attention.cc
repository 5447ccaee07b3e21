#include "nn/conf/layers/cross_attention.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> CrossAttention::OutputType(std::span<const InputType> inputs,
                                                    Mistakes& mistakes) const {
  const InputType &asks = inputs[0], &answers = inputs[1];
  if (!answers.IsSequence() || answers.channels != asks.channels) {
    mistakes.Add(
        absl::StrCat("needs two sequences with the same number of features, but its inputs are ",
                     Describe(asks), " and ", Describe(answers)),
        absl::StrCat("Put a dense layer of ", asks.channels, " units before the second"));
    return std::nullopt;
  }
  if (asks.channels % heads != 0) {
    mistakes.Add(absl::StrCat(asks.channels, " features cannot be shared by ", heads, " heads"),
                 "Choose a number of heads that divides the features");
    return std::nullopt;
  }
  return asks;
}

std::vector<ParameterConf> CrossAttention::Parameters(const InputType& input,
                                                      const WeightDefaults& defaults) const {
  const int64_t n = input.channels;
  std::vector<ParameterConf> parameters;
  const auto add = [&](const std::string& prefix, int64_t outputs) {
    parameters.push_back(Weight(prefix + "weight", {outputs, n}, {.in = n, .out = n}, defaults));
    if (bias) parameters.push_back(Bias(prefix + "bias", outputs, n, defaults));
  };
  add("q_", n);
  add("kv_", 2 * n);
  add("", n);
  return parameters;
}

std::vector<LayerSample> CrossAttention::Samples() {
  const auto both = [](CrossAttention layer) { return layer.Inputs({"input", "input"}); };
  return {
      {both(CrossAttention(2)), Sequence(3, 4)},
      {both(CrossAttention(1).WeightInit(Normal(0.5))), Sequence(5, 3)},
      {both(CrossAttention(3).NoBias().L2(0.01)), Sequence(4, 6)},
      {both(CrossAttention(2).WeightDecay(0.1)), Sequence(2, 2)},
      {both(CrossAttention(2).L1(0.001).LearningRateFactor(0.5)), Sequence(3, 2)},
      {both(CrossAttention(1).Frozen()), Sequence(3, 2)},
      {both(CrossAttention(2).WeightConstraint(MaxNorm(0.6))), Sequence(3, 4)},
      {both(CrossAttention(2).BiasInit(0.125)), Sequence(3, 4)},
      {both(CrossAttention(2).DropWeights(0.4)), Sequence(3, 4)},
  };
}

}  // namespace dl::nn

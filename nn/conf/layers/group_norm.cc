#include "nn/conf/layers/group_norm.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/gamma_and_beta.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {
namespace {

std::optional<InputType> NormalizedBy(int64_t groups, const InputType& input, Mistakes& mistakes) {
  if (input.channels % groups != 0) {
    mistakes.Add(
        absl::StrCat("cuts ", input.channels, " channels into ", groups, " groups of one size"),
        "Choose a number of groups that divides the channels");
    return std::nullopt;
  }
  if (input.Elements() == groups) {
    mistakes.Add("normalizes groups of one value, which would all become 0",
                 "Use fewer groups, put it where channels have more pixels, or leave it out");
    return std::nullopt;
  }
  return input;
}

}  // namespace

std::optional<InputType> GroupNorm::OutputType(const InputType& input, Mistakes& mistakes) const {
  return NormalizedBy(groups, input, mistakes);
}
std::vector<ParameterConf> GroupNorm::Parameters(const InputType& input,
                                                 const WeightDefaults&) const {
  return GammaAndBeta(input.channels, frozen);
}

std::vector<LayerSample> GroupNorm::Samples() {
  return {
      {GroupNorm(2), Image(4, 3, 2)},
      {GroupNorm(1), Image(3, 2, 2)},
      {GroupNorm(3).Epsilon(1e-3), Image(18, 5, 7)},
      {GroupNorm(2), Image(10, 1, 1)},
      {GroupNorm(3), Volume(6, 2, 3, 4)},
      {GroupNorm(2).Frozen(), Image(4, 2, 2)},
  };
}

std::optional<InputType> InstanceNorm::OutputType(const InputType& input,
                                                  Mistakes& mistakes) const {
  return NormalizedBy(input.channels, input, mistakes);
}
std::vector<ParameterConf> InstanceNorm::Parameters(const InputType& input,
                                                    const WeightDefaults&) const {
  return GammaAndBeta(input.channels, frozen);
}

std::vector<LayerSample> InstanceNorm::Samples() {
  return {
      {InstanceNorm(), Image(3, 4, 5)},
      {InstanceNorm().Epsilon(1e-2), Image(17, 2, 3)},
      {InstanceNorm(), Volume(3, 2, 1, 4)},
      {InstanceNorm().Frozen(), Image(2, 3, 2)},
  };
}

}  // namespace dl::nn

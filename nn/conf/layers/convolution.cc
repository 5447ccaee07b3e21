#include "nn/conf/layers/convolution.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/kinds.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

template <typename Self, AnExtent Extent>
void Convolution<Self, Extent>::Check(Mistakes& mistakes) const {
  if (groups >= 1 && filters >= 1 && filters % groups != 0) {
    mistakes.Add(absl::StrCat(filters, " filters cannot be split into ", groups, " groups"),
                 "Choose a number of filters that is a multiple of the groups");
  }
  window.Check(mistakes);
  this->CheckBias(mistakes);
  if (this->activation.kind == ActivationKind::kSoftmax) {
    mistakes.Add("softmax needs a flat input", "Use softmax after a dense layer");
  }
}

template <typename Self, AnExtent Extent>
bool Convolution<Self, Extent>::CanSplit(const InputType& input, Mistakes& mistakes) const {
  if (input.channels % groups == 0) return true;
  mistakes.Add(
      absl::StrCat(input.channels, " input channels cannot be split into ", groups, " groups"),
      "Choose a number of groups that divides the input channels");
  return false;
}

template <typename Self, AnExtent Extent>
std::optional<InputType> Convolution<Self, Extent>::OutputType(const InputType& input,
                                                               Mistakes& mistakes) const {
  if (!CanSplit(input, mistakes)) return std::nullopt;
  const std::optional<Extent> extent = window.OutputExtent(input, mistakes);
  if (!extent) return std::nullopt;
  return Spatial(filters, *extent);
}

template <typename Self, AnExtent Extent>
std::vector<ParameterConf> Convolution<Self, Extent>::Parameters(
    const InputType& input, const WeightDefaults& defaults) const {
  // Channels and filters are at most 2^26 and taps at most 2^32, so the fans are below 2^63.
  const int64_t taps = window.Taps();
  const int64_t channels = input.channels / groups;
  std::vector<int64_t> shape = {filters, channels};
  for (const auto axis : Extent::kAxes) shape.push_back(window.kernel.*axis);
  return this->WeightAndBias(std::move(shape), /*fan_in=*/channels * taps,
                             /*fan_out=*/filters / groups * taps, defaults);
}

template struct Convolution<Conv2D, Extent2D>;
template struct Convolution<TransposedConv2D, Extent2D>;
template struct Convolution<Conv3D, Extent3D>;

}  // namespace dl::nn

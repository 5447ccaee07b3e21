#include "nn/conf/layers/transposed_conv2d.h"

#include "absl/strings/str_cat.h"
#include "nn/conf/layers/layer_registry.h"

namespace dl::nn {

std::optional<InputType> TransposedConv2D::OutputType(const InputType& input,
                                                      Mistakes& mistakes) const {
  if (!CanSplit(input, mistakes)) return std::nullopt;
  if (window.padding.same)
    return Image(filters, input.height * window.stride.height, input.width * window.stride.width);
  const Extent2D reach = window.Reach();
  const Extent2D padding = window.padding.size;
  const int64_t height = (input.height - 1) * window.stride.height + reach.height;
  const int64_t width = (input.width - 1) * window.stride.width + reach.width;
  if (height <= 2 * padding.height || width <= 2 * padding.width) {
    mistakes.Add(absl::StrCat("a padding of ", padding.height, "x", padding.width,
                              " leaves no pixels of an output of ", height, "x", width),
                 "Use less padding");
    return std::nullopt;
  }
  return Image(filters, height - 2 * padding.height, width - 2 * padding.width);
}

std::vector<LayerSample> TransposedConv2D::Samples() {
  return {
      {TransposedConv2D(3).Kernel(2).Stride(2), Image(2, 3, 4)},
      {TransposedConv2D(4).Kernel(3, 2).Stride(2, 3).Padding(1, 0).Activation(Tanh()),
       Image(3, 4, 2)},
      {TransposedConv2D(2).Kernel(4).Stride(2).SamePadding().NoBias(), Image(3, 3, 3)},
      {TransposedConv2D(4).Kernel(1, 2).Stride(2, 1).SamePadding(), Image(2, 3, 4)},
      {TransposedConv2D(6).Groups(2).Dilation(2, 1).Padding(1), Image(4, 4, 3)},
      {TransposedConv2D(17).Kernel(2).WeightInit(He()).L1(0.01).L2(0.001), Image(2, 3, 3)},
      {TransposedConv2D(3).Kernel(2).WeightDecay(0.01).LearningRateFactor(2).Frozen(),
       Image(1, 3, 3)},
      {TransposedConv2D(4).Kernel(3).Stride(2).WeightConstraint(MaxNorm(0.4)), Image(3, 3, 2)},
      {TransposedConv2D(6).Kernel(2).Groups(2).WeightConstraint(UnitNorm()), Image(4, 3, 2)},
      {TransposedConv2D(3).Kernel(2).BiasInit(0.25), Image(2, 3, 4)},
  };
}

}  // namespace dl::nn

// Base of convolutions of images and volumes, including transposed convolutions. It has their keys,
// their builder functions, the weights W [filters, channels / groups, extents of the kernel] and
// the biases b [filters]. A convolution computes y = activation(W * x + b), where * is the
// cross-correlation. Transposed convolutions have another formula
// (nn/conf/layers/transposed_conv2d.h). With a dilation of d, adjacent weights are applied to
// values that are d pixels apart. See Yu & Koltun, "Multi-scale context aggregation by dilated
// convolutions", ICLR 2016, equation 2.
#pragma once

#include "nn/conf/layers/convolution_keys.h"
#include "nn/conf/layers/window.h"

namespace dl::nn {

template <typename Self, AnExtent Extent>
struct Convolution : WeightedLayer<Self> {
  Convolution() = default;
  explicit Convolution(int64_t filter_count) : filters(filter_count) {}
  // Arguments are one number for all axes, or one number for each axis.
  template <typename... Sizes>
  Self& Kernel(Sizes... sizes) {
    window.kernel = ExtentOf<Extent>(sizes...);
    return this->self();
  }
  template <typename... Sizes>
  Self& Stride(Sizes... sizes) {
    window.stride = ExtentOf<Extent>(sizes...);
    return this->self();
  }
  template <typename... Sizes>
  Self& Padding(Sizes... sizes) {
    window.padding = {.size = ExtentOf<Extent>(sizes...)};
    return this->self();
  }
  Self& SamePadding() {
    window.padding = {.same = true};
    return this->self();
  }
  template <typename... Sizes>
  Self& Dilation(Sizes... sizes) {
    window.dilation = ExtentOf<Extent>(sizes...);
    return this->self();
  }
  Self& Groups(int64_t count) {
    groups = count;
    return this->self();
  }

  int64_t filters = 0;  // 1 to limits::kMaxExtent; required
  int64_t groups = 1;   // at least 1; divides channels and filters
  WindowOf<Extent> window{.kernel = ExtentOf<Extent>(3), .stride = ExtentOf<Extent>(1)};

  bool operator==(const Convolution&) const = default;
  // Adds a mistake if the groups do not divide the filters or if the activation is softmax, and the
  // mistakes of WindowOf::Check and CheckBias.
  void Check(Mistakes& mistakes) const;
  // Returns an image or volume of `filters` channels and the extent of WindowOf::OutputExtent. Adds
  // a mistake and returns nullopt if the groups do not divide the channels or the kernel does not
  // fit. TransposedConv2D has its own function.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  // "weight", and "bias" if the layer has a bias.
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kFiltersField, self.filters);
    visit(kGroupsField, self.groups);
    WindowOf<Extent>::Fields(self.window, visit);
    visit(kDilationField, self.window.dilation);
    WeightKeys::Fields(self, visit);
  }

 protected:
  // Adds a mistake and returns false if the groups do not divide the channels.
  bool CanSplit(const InputType& input, Mistakes& mistakes) const;
};

}  // namespace dl::nn

// Base of convolutions of images and volumes, including transposed convolutions: keys, builder
// functions, weights [filters, channels / groups, extents of the kernel] and biases [filters]. y =
// activation(W * x + b), where * is the cross-correlation; transposed convolutions have another
// formula (nn/conf/layers/transposed_conv2d.h). With a dilation of d, adjacent weights are applied
// to values that are d pixels apart (Yu & Koltun, "Multi-scale context aggregation by dilated
// convolutions", ICLR 2016, equation 2).
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
  void Check(Mistakes& mistakes) const;
  // Returns the output type of a convolution. Transposed convolutions have their own function.
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
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

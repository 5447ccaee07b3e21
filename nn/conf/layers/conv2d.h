// 2-D convolution (cross-correlation, as the field calls it): y = activation(W * x + b),
// W [filters, channels / groups, kernel height, kernel width], b [filters]. With a dilation of d
// the values under neighbouring weights are d pixels apart (Yu & Koltun, "Multi-scale context
// aggregation by dilated convolutions", ICLR 2016, equation 2).
#pragma once

#include "nn/conf/layers/convolution_keys.h"
#include "nn/conf/layers/window.h"

namespace dl::nn {

struct LayerSample;

struct Conv2D : WeightedLayer<Conv2D> {
  static constexpr std::string_view kTag = "conv2d";
  static constexpr std::string_view kNamePrefix = "conv";
  static constexpr InputNeed kNeeds = InputNeed::kImage;

  Conv2D() = default;
  explicit Conv2D(int64_t filter_count) : filters(filter_count) {}
  Conv2D& Kernel(int64_t size) { return Kernel(size, size); }
  Conv2D& Kernel(int64_t height, int64_t width) {
    window.kernel = {height, width};
    return *this;
  }
  Conv2D& Stride(int64_t size) { return Stride(size, size); }
  Conv2D& Stride(int64_t height, int64_t width) {
    window.stride = {height, width};
    return *this;
  }
  Conv2D& Padding(int64_t size) { return Padding(size, size); }
  Conv2D& Padding(int64_t height, int64_t width) {
    window.padding = {.size = {height, width}};
    return *this;
  }
  Conv2D& SamePadding() {
    window.padding = {.same = true};
    return *this;
  }
  Conv2D& Dilation(int64_t size) { return Dilation(size, size); }
  Conv2D& Dilation(int64_t height, int64_t width) {
    window.dilation = {height, width};
    return *this;
  }
  Conv2D& Groups(int64_t count) {
    groups = count;
    return *this;
  }

  int64_t filters = 0;
  int64_t groups = 1;  // divides both channels and filters
  Window window{.kernel = {3, 3}, .stride = {1, 1}};

  bool operator==(const Conv2D&) const = default;
  void Check(Mistakes& mistakes) const;
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  std::vector<ParameterConf> Parameters(const InputType& input,
                                        const WeightDefaults& defaults) const;
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(kFiltersField, self.filters);
    visit(kGroupsField, self.groups);
    Window::Fields(self.window, visit);
    visit(kDilationField, self.window.dilation);
    WeightKeys::Fields(self, visit);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

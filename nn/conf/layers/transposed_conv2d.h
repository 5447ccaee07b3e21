// Transposed 2-D convolution, also called deconvolution: what the gradient by the input of a
// convolution of the same window computes (Dumoulin & Visin, "A guide to convolution arithmetic
// for deep learning", arXiv:1603.07285, section 4). Each value of the input adds its window of
// weights to the output:
//   y[f, i stride + k dilation - top, j stride + l dilation - left] += W[f, c, k, l] x[c, i, j],
// then the bias and the activation; W [filters, channels / groups, kernel height, kernel width].
// Per axis out = (in - 1) stride + reach - 2 padding with reach = (kernel - 1) dilation + 1
// (relationship 13 there); with padding "same" out = in stride, as in TensorFlow.
#pragma once

#include "nn/conf/layers/convolution_keys.h"
#include "nn/conf/layers/window.h"

namespace dl::nn {

struct LayerSample;

struct TransposedConv2D : WeightedLayer<TransposedConv2D> {
  static constexpr std::string_view kTag = "transposed_conv2d";
  static constexpr std::string_view kNamePrefix = "transposed_conv";
  static constexpr InputNeed kNeeds = InputNeed::kImage;

  TransposedConv2D() = default;
  explicit TransposedConv2D(int64_t filter_count) : filters(filter_count) {}
  TransposedConv2D& Kernel(int64_t size) { return Kernel(size, size); }
  TransposedConv2D& Kernel(int64_t height, int64_t width) {
    window.kernel = {height, width};
    return *this;
  }
  TransposedConv2D& Stride(int64_t size) { return Stride(size, size); }
  TransposedConv2D& Stride(int64_t height, int64_t width) {
    window.stride = {height, width};
    return *this;
  }
  TransposedConv2D& Padding(int64_t size) { return Padding(size, size); }
  TransposedConv2D& Padding(int64_t height, int64_t width) {
    window.padding = {.size = {height, width}};
    return *this;
  }
  TransposedConv2D& SamePadding() {
    window.padding = {.same = true};
    return *this;
  }
  TransposedConv2D& Dilation(int64_t size) { return Dilation(size, size); }
  TransposedConv2D& Dilation(int64_t height, int64_t width) {
    window.dilation = {height, width};
    return *this;
  }
  TransposedConv2D& Groups(int64_t count) {
    groups = count;
    return *this;
  }

  int64_t filters = 0;
  int64_t groups = 1;  // divides both channels and filters
  Window window{.kernel = {3, 3}, .stride = {1, 1}};

  bool operator==(const TransposedConv2D&) const = default;
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

// Max and average pooling. Padding never counts: a maximum ignores it, an average divides by the
// number of real values in the window. Equal maxima: the gradient goes to the lowest index. Without
// a stride, the stride is the kernel.
#pragma once

#include "nn/conf/layers/window.h"

namespace dl::nn {

struct LayerSample;

template <typename Self>
struct Pool2D : NamedLayer<Self> {
  static constexpr std::string_view kNamePrefix = "pool";
  static constexpr InputNeed kNeeds = InputNeed::kImage;

  Pool2D() = default;
  Pool2D(int64_t height, int64_t width)
      : window{.kernel = {height, width}, .stride = {height, width}} {}
  Self& Stride(int64_t size) { return Stride(size, size); }
  Self& Stride(int64_t height, int64_t width) {
    window.stride = {height, width};
    return self();
  }
  Self& Padding(int64_t size) { return Padding(size, size); }
  Self& Padding(int64_t height, int64_t width) {
    window.padding = {.size = {height, width}};
    return self();
  }
  Self& SamePadding() {
    window.padding = {.same = true};
    return self();
  }

  Window window{.kernel = {2, 2}, .stride = {2, 2}};

  bool operator==(const Pool2D&) const = default;
  void Check(Mistakes& mistakes) const { window.Check(mistakes); }
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const;
  void FinishRead(JsonObjectReader& reader);
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    Window::Fields(self.window, visit);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

struct MaxPool2D : Pool2D<MaxPool2D> {
  static constexpr std::string_view kTag = "max_pool2d";
  MaxPool2D() = default;
  explicit MaxPool2D(int64_t size) : Pool2D(size, size) {}
  MaxPool2D(int64_t height, int64_t width) : Pool2D(height, width) {}
  bool operator==(const MaxPool2D&) const = default;
  static std::vector<LayerSample> Samples();
};

struct AvgPool2D : Pool2D<AvgPool2D> {
  static constexpr std::string_view kTag = "avg_pool2d";
  AvgPool2D() = default;
  explicit AvgPool2D(int64_t size) : Pool2D(size, size) {}
  AvgPool2D(int64_t height, int64_t width) : Pool2D(height, width) {}
  bool operator==(const AvgPool2D&) const = default;
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

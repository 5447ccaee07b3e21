// Max and average pooling of images and volumes. The default stride is the kernel. A maximum never
// comes from padding. An average divides by the number of input values in its window. With
// count_padding, it counts padding as zeros and divides by the size of the kernel (PyTorch's
// count_include_pad). With ceil_mode (window.h), windows may reach beyond the padding. Therefore
// count_padding and ceil_mode exclude each other. For equal maxima, the gradient goes to the lowest
// index.
#pragma once

#include "nn/conf/layers/window.h"

namespace dl::nn {

inline constexpr Field kCountPaddingField{.key = "count_padding",
                                          .meaning =
                                              "Whether an average includes padding as zeros. "
                                              "`false` = the mean of the values inside the input"};

// Checks the window of an average with count_padding: adds a mistake if it has ceil_mode.
template <AnExtent Extent>
void CheckCountPadding(const WindowOf<Extent>& window, Mistakes& mistakes) {
  if (!window.ceil_mode) return;
  mistakes.Add("counts padding in windows that may reach beyond it (count_padding, ceil_mode)",
               "Leave out one of the two; without padding count_padding is not needed");
}

template <typename Self, AnExtent Extent>
struct Pool : NamedLayer<Self> {
  static constexpr std::string_view kNamePrefix = "pool";

  Pool() = default;
  // Arguments are one number for all axes, or one number for each axis.
  template <typename... Sizes>
  explicit Pool(int64_t size, Sizes... sizes)
      : window{.kernel = ExtentOf<Extent>(size, sizes...),
               .stride = ExtentOf<Extent>(size, sizes...)} {}
  template <typename... Sizes>
  Self& Stride(Sizes... sizes) {
    window.stride = ExtentOf<Extent>(sizes...);
    return self();
  }
  template <typename... Sizes>
  Self& Padding(Sizes... sizes) {
    window.padding = {.size = ExtentOf<Extent>(sizes...)};
    return self();
  }
  // Rounds the number of windows up: values that are left over get a last window (window.h).
  Self& CeilMode() {
    window.ceil_mode = true;
    return self();
  }
  // Pads so that the output has ceil(input / stride) values along each axis (window.h).
  Self& SamePadding() {
    window.padding = {.same = true};
    return self();
  }

  WindowOf<Extent> window{.kernel = ExtentOf<Extent>(2), .stride = ExtentOf<Extent>(2)};

  bool operator==(const Pool&) const = default;
  void Check(Mistakes& mistakes) const { window.Check(mistakes); }
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const {
    const std::optional<Extent> extent = window.OutputExtent(input, mistakes);
    if (!extent) return std::nullopt;
    return Spatial(input.channels, *extent);
  }
  // Sets the stride to the kernel if the JSON has no stride.
  void FinishRead(JsonObjectReader& reader);
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    WindowOf<Extent>::Fields(self.window, visit);
    visit(kCeilModeField, self.window.ceil_mode);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace dl::nn

// Max and average pooling over the steps of a sequence, for each feature separately. Padding and
// the default stride are as in nn/conf/layers/pool.h. In sequences of variable length, padding
// begins after an example's last step, and its length in the output follows from its own length
// (nn/conf/step_lengths.h).
#pragma once

#include "nn/conf/layers/pool2d.h"
#include "nn/conf/layers/window1d.h"

namespace dl::nn {

struct LayerSample;

template <typename Self>
struct Pool1D : NamedLayer<Self> {
  static constexpr std::string_view kNamePrefix = "pool";
  static constexpr InputNeed kNeeds = InputNeed::kSequence;
  static constexpr bool kTakesVariableLength = true;

  Pool1D() = default;
  explicit Pool1D(int64_t steps) : window{.kernel = {steps}, .stride = {steps}} {}
  Self& Stride(int64_t steps) {
    window.stride = {steps};
    return self();
  }
  Self& Padding(int64_t steps) {
    window.padding = {.steps = steps};
    return self();
  }
  // Rounds the number of windows up: steps that are left over get a last window (window.h).
  Self& CeilMode() {
    window.ceil_mode = true;
    return self();
  }
  // Pads so that the output has ceil(input / stride) steps (window.h).
  Self& SamePadding() {
    window.padding = {.same = true};
    return self();
  }

  Window1D window{.kernel = {2}, .stride = {2}};

  bool operator==(const Pool1D&) const = default;
  void Check(Mistakes& mistakes) const { window.As2D().Check(mistakes); }
  std::optional<InputType> OutputType(const InputType& input, Mistakes& mistakes) const {
    const std::optional<int64_t> steps = window.OutputSteps(input, mistakes);
    if (!steps) return std::nullopt;
    return window.OutputOf(input, /*steps_in_front=*/0, *steps, input.channels);
  }
  // Sets the stride to the kernel if the JSON has no stride.
  void FinishRead(JsonObjectReader& reader);
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    Window1D::Fields(self.window, visit);
    visit(kCeilModeField, self.window.ceil_mode);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

struct MaxPool1D : Pool1D<MaxPool1D> {
  static constexpr std::string_view kTag = "max_pool1d";
  using Pool1D::Pool1D;
  bool operator==(const MaxPool1D&) const = default;
  // Returns the pooling of images that computes the same result from AsImage(input).
  MaxPool2D As2D() const;
  static std::vector<LayerSample> Samples();
};

struct AvgPool1D : Pool1D<AvgPool1D> {
  static constexpr std::string_view kTag = "avg_pool1d";
  using Pool1D::Pool1D;
  AvgPool1D& CountPadding() {
    count_padding = true;
    return *this;
  }

  bool count_padding = false;

  bool operator==(const AvgPool1D&) const = default;
  AvgPool2D As2D() const;
  void Check(Mistakes& mistakes) const {
    Pool1D::Check(mistakes);
    if (count_padding) CheckCountPadding(window.As2D(), mistakes);
  }
  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    Pool1D::Fields(self, visit);
    visit(kCountPaddingField, self.count_padding);
  }
  static std::vector<LayerSample> Samples();
};

}  // namespace dl::nn

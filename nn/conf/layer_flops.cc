#include "nn/conf/layer_flops.h"

#include <algorithm>

namespace dl::nn {
namespace {

constexpr double kPerProduct = 2;  // a multiplication and an addition

LayerFlops Both(double products) {
  return {.nominal = kPerProduct * products, .unpadded = kPerProduct * products};
}

// How a window slides along one axis of `in` values.
struct Slide {
  int64_t in = 0, out = 0;  // number of positions of the window
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t before = 0;  // size of the border in front

  // Returns the number of pairs (position, kernel element) whose value is not in a border.
  double PairsInside() const {
    double pairs = 0;
    for (int64_t k = 0; k < kernel; ++k) {
      // At position p, element k is value p * stride - shift.
      const int64_t shift = before - k * dilation;
      const int64_t first = shift <= 0 ? 0 : (shift + stride - 1) / stride;
      if (in - 1 + shift < 0) continue;
      const int64_t last = std::min(out - 1, (in - 1 + shift) / stride);
      pairs += static_cast<double>(std::max<int64_t>(0, last - first + 1));
    }
    return pairs;
  }
};

// Number of pairs (position of the window, kernel element): all, and those inside the input.
template <AnExtent Extent>
LayerFlops PairsOf(const WindowOf<Extent>& window, const InputType& input,
                   const InputType& output) {
  const Extent in = Extent::Of(input), out = Extent::Of(output);
  const Extent before = window.BordersOf(input).before;
  LayerFlops pairs{.nominal = 1, .unpadded = 1};
  for (const auto axis : Extent::kAxes) {
    const Slide slide{.in = in.*axis,
                      .out = out.*axis,
                      .kernel = window.kernel.*axis,
                      .stride = window.stride.*axis,
                      .dilation = window.dilation.*axis,
                      .before = before.*axis};
    pairs.nominal *= static_cast<double>(slide.out) * static_cast<double>(slide.kernel);
    pairs.unpadded *= slide.PairsInside();
  }
  return pairs;
}

// No default branch: a layer that is not counted would seem to cost nothing.
struct FlopsCount {
  const LayerConfig& layer;

  LayerFlops operator()(const Dense&) const { return EachStep(layer.output.channels); }
  LayerFlops operator()(const Output&) const { return EachStep(layer.output.channels); }
  LayerFlops operator()(const Conv2D& conf) const {
    return Convolved(conf, PairsOf(conf.window, layer.input, layer.output));
  }
  LayerFlops operator()(const Conv3D& conf) const {
    return Convolved(conf, PairsOf(conf.window, layer.input, layer.output));
  }
  // The steps in front of a causal convolution count as a border.
  LayerFlops operator()(const Conv1D& conf) const {
    Window window = conf.As2D().window;
    window.padding.size.height += conf.StepsInFront();
    return Convolved(conf, PairsOf(window, AsImage(layer.input), AsImage(layer.output)));
  }
  // Counted as a convolution from the output to the input.
  LayerFlops operator()(const TransposedConv2D& conf) const {
    return Convolved(conf, PairsOf(conf.window, layer.output, layer.input));
  }
  LayerFlops operator()(const SimpleRnn& conf) const { return Recurrent(conf, conf.units, 1); }
  LayerFlops operator()(const Gru& conf) const { return Recurrent(conf, conf.units, Gru::kGates); }
  LayerFlops operator()(const Lstm& conf) const {
    return Recurrent(conf, conf.units, Lstm::kGates);
  }
  // Four products for queries, keys, values and outputs, and the attention of each step to each
  // step.
  LayerFlops operator()(const SelfAttention& conf) const {
    const double features = Channels(layer.input), steps = Steps(layer.input);
    const double projected = 4 * steps * features * features;
    const double looked_at = conf.causal ? steps * (steps + 1) / 2 : steps * steps;
    return {.nominal = kPerProduct * (projected + 2 * steps * steps * features),
            .unpadded = kPerProduct * (projected + 2 * looked_at * features)};
  }
  LayerFlops operator()(const CrossAttention&) const {
    const double features = Channels(layer.input), asking = Steps(layer.input),
                 asked = Steps(layer.other_inputs.front());
    return Both(2 * (asking + asked) * features * features + 2 * asking * asked * features);
  }

  // Layers without products.
  LayerFlops operator()(const LossLayer&) const { return {}; }
  LayerFlops operator()(const ActivationLayer&) const { return {}; }
  LayerFlops operator()(const MaxPool1D&) const { return {}; }
  LayerFlops operator()(const AvgPool1D&) const { return {}; }
  LayerFlops operator()(const GlobalAvgPool1D&) const { return {}; }
  LayerFlops operator()(const GlobalMaxPool1D&) const { return {}; }
  LayerFlops operator()(const MaxPool2D&) const { return {}; }
  LayerFlops operator()(const AvgPool2D&) const { return {}; }
  LayerFlops operator()(const GlobalAvgPool2D&) const { return {}; }
  LayerFlops operator()(const AdaptiveAvgPool2D&) const { return {}; }
  LayerFlops operator()(const AdaptiveMaxPool2D&) const { return {}; }
  LayerFlops operator()(const MaxPool3D&) const { return {}; }
  LayerFlops operator()(const AvgPool3D&) const { return {}; }
  LayerFlops operator()(const GlobalAvgPool3D&) const { return {}; }
  LayerFlops operator()(const PRelu&) const { return {}; }
  LayerFlops operator()(const Dropout&) const { return {}; }
  LayerFlops operator()(const GaussianNoise&) const { return {}; }
  LayerFlops operator()(const BatchNorm&) const { return {}; }
  LayerFlops operator()(const GroupNorm&) const { return {}; }
  LayerFlops operator()(const InstanceNorm&) const { return {}; }
  LayerFlops operator()(const LayerNorm&) const { return {}; }
  LayerFlops operator()(const RmsNorm&) const { return {}; }
  LayerFlops operator()(const LocalResponseNorm&) const { return {}; }
  LayerFlops operator()(const L2Normalize&) const { return {}; }
  LayerFlops operator()(const Embedding&) const { return {}; }
  LayerFlops operator()(const PositionalEmbedding&) const { return {}; }
  LayerFlops operator()(const LastStep&) const { return {}; }
  LayerFlops operator()(const Add&) const { return {}; }
  LayerFlops operator()(const Multiply&) const { return {}; }
  LayerFlops operator()(const Average&) const { return {}; }
  LayerFlops operator()(const Maximum&) const { return {}; }
  LayerFlops operator()(const Concat&) const { return {}; }
  LayerFlops operator()(const Stack&) const { return {}; }
  LayerFlops operator()(const Flatten&) const { return {}; }
  LayerFlops operator()(const Reshape&) const { return {}; }
  LayerFlops operator()(const Permute&) const { return {}; }
  LayerFlops operator()(const Repeat&) const { return {}; }
  LayerFlops operator()(const Subset&) const { return {}; }
  LayerFlops operator()(const ScaleShift&) const { return {}; }
  LayerFlops operator()(const Upsample2D&) const { return {}; }
  LayerFlops operator()(const ZeroPad2D&) const { return {}; }
  LayerFlops operator()(const Crop2D&) const { return {}; }
  LayerFlops operator()(const GaussianSample&) const { return {}; }

  static double Channels(const InputType& type) { return static_cast<double>(type.channels); }
  static double Steps(const InputType& type) { return static_cast<double>(type.Steps()); }
  LayerFlops EachStep(int64_t units) const {
    return Both(Steps(layer.input) * Channels(layer.input) * static_cast<double>(units));
  }
  // Each pair connects all channels of a group with all filters of the group.
  template <typename Conv>
  LayerFlops Convolved(const Conv& conf, const LayerFlops& pairs) const {
    const double channels = Channels(layer.input) * static_cast<double>(conf.filters) /
                            static_cast<double>(conf.groups);
    return {.nominal = kPerProduct * channels * pairs.nominal,
            .unpadded = kPerProduct * channels * pairs.unpadded};
  }
  // Each step and gate has a product with the input and a product with the state.
  LayerFlops Recurrent(const RecurrentKeys& conf, int64_t units, int64_t gates) const {
    const auto own = static_cast<double>(units);
    const double step = static_cast<double>(gates) * own * (Channels(layer.input) + own);
    return Both((conf.IsBidirectional() ? 2 : 1) * Steps(layer.input) * step);
  }
};

}  // namespace

LayerFlops FlopsOf(const LayerConfig& layer) { return std::visit(FlopsCount{layer}, layer.conf); }

}  // namespace dl::nn

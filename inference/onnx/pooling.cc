#include "inference/onnx/pooling.h"

#include <limits>
#include <utility>

#include "inference/onnx/window_attributes.h"

namespace dl::inference {
namespace {

const OnnxAttributes kChannelsFirst = {{"perm", std::vector<int64_t>{0, 2, 1}}};
const OnnxAttributes kWithoutAxis = {{"keepdims", int64_t{0}}};

template <typename Window>
std::string MaxPoolOf(const OnnxLayer& layer, const Window& window) {
  return layer.Add("MaxPool", {layer.x()}, WindowAttributes(window, layer.layer.input));
}

OnnxAttributes AvgAttributes(OnnxAttributes attributes, bool count_padding) {
  attributes.push_back({"count_include_pad", int64_t{count_padding ? 1 : 0}});
  return attributes;
}

template <typename Window>
std::string AvgPoolOf(const OnnxLayer& layer, const Window& window, bool count_padding) {
  return layer.Add("AveragePool", {layer.x()},
                   AvgAttributes(WindowAttributes(window, layer.layer.input), count_padding));
}

// Appends an operator on the steps of a sequence, which it reads as [examples, features, steps].
std::string OverSteps(const OnnxLayer& layer, std::string_view op, const std::string& x,
                      OnnxAttributes attributes) {
  const std::string turned = layer.Add("Transpose", {x}, kChannelsFirst);
  const std::string y = layer.Add(op, {turned}, std::move(attributes));
  return layer.Add("Transpose", {y}, kChannelsFirst);
}

// Returns the sequence with `fill` in the steps that do not exist.
std::string Filled(const OnnxLayer& layer, float fill) {
  if (!layer.layer.input.variable_length) return layer.x();
  return layer.Add("Where",
                   {layer.lengths.MaskOf(layer.layer.input), layer.x(), layer.graph.Scalar(fill)});
}

constexpr float kLeast = -std::numeric_limits<float>::infinity();

// The range of values that one value of an adaptive pooling is computed from.
struct Range {
  int64_t begin = 0, end = 0;
};
std::vector<Range> RangesOf(int64_t in, int64_t out) {
  std::vector<Range> ranges;
  for (int64_t i = 0; i < out; ++i)
    ranges.push_back({i * in / out, ((i + 1) * in + out - 1) / out});
  return ranges;
}

// Returns a matrix [out, in] that computes the mean of each range.
std::vector<float> MeansOf(int64_t in, int64_t out) {
  std::vector<float> matrix(in * out, 0.0f);
  const std::vector<Range> ranges = RangesOf(in, out);
  for (int64_t i = 0; i < out; ++i) {
    const auto [begin, end] = ranges[i];
    for (int64_t j = begin; j < end; ++j)
      matrix[i * in + j] = 1.0f / static_cast<float>(end - begin);
  }
  return matrix;
}

// Returns the maximum of each range of an axis.
std::string LargestOfRanges(const OnnxLayer& layer, const std::string& x, int64_t axis,
                            const std::vector<Range>& ranges) {
  std::vector<std::string> parts;
  for (const auto [begin, end] : ranges) {
    parts.push_back(layer.Add("ReduceMax", {layer.Slice(x, axis, begin, end)},
                              {{"axes", std::vector<int64_t>{axis}}}));
  }
  return layer.Add("Concat", std::move(parts), {{"axis", axis}});
}

}  // namespace

std::string WriteMaxPool(const OnnxLayer& layer, const nn::Window& window) {
  return MaxPoolOf(layer, window);
}
std::string WriteMaxPool(const OnnxLayer& layer, const nn::Window3D& window) {
  return MaxPoolOf(layer, window);
}
std::string WriteMaxPool(const OnnxLayer& layer, const nn::Window1D& window) {
  return OverSteps(layer, "MaxPool", Filled(layer, kLeast),
                   WindowAttributes(window, layer.layer.input, /*front=*/0));
}

std::string WriteAvgPool(const OnnxLayer& layer, const nn::Window& window, bool count_padding) {
  return AvgPoolOf(layer, window, count_padding);
}
std::string WriteAvgPool(const OnnxLayer& layer, const nn::Window3D& window, bool count_padding) {
  return AvgPoolOf(layer, window, count_padding);
}
std::string WriteAvgPool(const OnnxLayer& layer, const nn::Window1D& window, bool count_padding) {
  const nn::InputType& input = layer.layer.input;
  const bool divides_by_kernel = count_padding || input.variable_length;
  const OnnxAttributes attributes =
      AvgAttributes(WindowAttributes(window, input, /*front=*/0), divides_by_kernel);
  const std::string mean = OverSteps(layer, "AveragePool", Filled(layer, 0), attributes);
  if (count_padding || !input.variable_length) return mean;
  // Divide by the share of the window's steps that exist. A window without steps is padding.
  const std::string exists =
      layer.Add("Cast", {layer.lengths.MaskOf(input)}, {{"to", OnnxTypeCode(OnnxType::kFloat)}});
  const std::string share = OverSteps(layer, "AveragePool", exists, attributes);
  const float least = 1.0f / static_cast<float>(window.kernel.steps);
  return layer.Add("Div", {mean, layer.Add("Max", {share, layer.graph.Scalar(least)})});
}

std::string WriteGlobalAvgPool(const OnnxLayer& layer) {
  return layer.Add("GlobalAveragePool", {layer.x()});
}

std::string WriteGlobalAvgPool1D(const OnnxLayer& layer) {
  const nn::InputType& input = layer.layer.input;
  if (!input.variable_length) {
    return layer.Add("ReduceMean", {layer.x()},
                     {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{0}}});
  }
  const std::string sum =
      layer.Add("ReduceSum", {Filled(layer, 0), layer.graph.Integers({1})}, kWithoutAxis);
  const std::string lengths =
      layer.Add("Cast", {layer.lengths.Of(input)}, {{"to", OnnxTypeCode(OnnxType::kFloat)}});
  return layer.Add("Div", {sum, layer.Add("Unsqueeze", {lengths, layer.graph.Integers({1})})});
}

std::string WriteGlobalMaxPool1D(const OnnxLayer& layer) {
  return layer.Add("ReduceMax", {Filled(layer, kLeast)},
                   {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{0}}});
}

std::string WriteAdaptiveAvgPool(const OnnxLayer& layer) {
  const nn::InputType& in = layer.layer.input;
  const nn::InputType& out = layer.layer.output;
  const std::vector<float> rows = MeansOf(in.height, out.height);
  const std::vector<float> columns = MeansOf(in.width, out.width);
  const std::string left =
      layer.graph.Constant(std::span<const float>(rows), {out.height, in.height});
  const std::string right =
      layer.graph.Constant(std::span<const float>(columns), {out.width, in.width});
  const std::string turned =
      layer.Add("Transpose", {right}, {{"perm", std::vector<int64_t>{1, 0}}});
  return layer.Add("MatMul", {layer.Add("MatMul", {left, layer.x()}), turned});
}

std::string WriteAdaptiveMaxPool(const OnnxLayer& layer) {
  const nn::InputType& in = layer.layer.input;
  const nn::InputType& out = layer.layer.output;
  const std::string rows =
      LargestOfRanges(layer, layer.x(), /*axis=*/2, RangesOf(in.height, out.height));
  return LargestOfRanges(layer, rows, /*axis=*/3, RangesOf(in.width, out.width));
}

}  // namespace dl::inference

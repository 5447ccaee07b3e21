#include "inference/onnx/shapes.h"

#include <utility>

namespace dl::inference {
namespace {

// Returns the axis of features or channels.
int64_t ChannelAxis(const nn::InputType& type) { return type.IsSequence() ? 2 : 1; }

}  // namespace

std::string WriteReshape(const OnnxLayer& layer) {
  if (layer.layer.input.Shape() == layer.layer.output.Shape()) return layer.x();
  return layer.Reshape(layer.x(), layer.layer.output.Shape());
}

std::string WritePermute(const OnnxLayer& layer, const nn::Permute& conf) {
  std::vector<int64_t> axes = {0};
  axes.insert(axes.end(), conf.axes.begin(), conf.axes.end());
  return layer.Add("Transpose", {layer.x()}, {{"perm", std::move(axes)}});
}

std::string WriteRepeat(const OnnxLayer& layer, const nn::Repeat& conf) {
  const std::string row = layer.Add("Unsqueeze", {layer.x(), layer.graph.Integers({1})});
  return layer.Add("Expand", {row, layer.graph.Integers({1, conf.steps, 1})});
}

std::string WriteChannels(const OnnxLayer& layer, int64_t begin, int64_t end) {
  return layer.Slice(layer.x(), ChannelAxis(layer.layer.input), begin, end);
}

std::string WriteZeroPad(const OnnxLayer& layer, const nn::Edges& edges) {
  const std::string pads =
      layer.graph.Integers({0, 0, edges.top, edges.left, 0, 0, edges.bottom, edges.right});
  return layer.Add("Pad", {layer.x(), pads});
}

std::string WriteCrop(const OnnxLayer& layer, const nn::Edges& edges) {
  const nn::InputType& input = layer.layer.input;
  return layer.Add("Slice",
                   {layer.x(), layer.graph.Integers({edges.top, edges.left}),
                    layer.graph.Integers({input.height - edges.bottom, input.width - edges.right}),
                    layer.graph.Integers({2, 3})});
}

std::string WriteUpsample(const OnnxLayer& layer, const nn::Extent2D& scale) {
  const float scales[] = {1, 1, static_cast<float>(scale.height), static_cast<float>(scale.width)};
  return layer.Add("Resize",
                   {layer.x(), "", layer.graph.Constant(std::span<const float>(scales), {4})},
                   {{"mode", "nearest"},
                    {"coordinate_transformation_mode", "asymmetric"},
                    {"nearest_mode", "floor"}});
}

std::string WriteLastStep(const OnnxLayer& layer) {
  const nn::InputType& input = layer.layer.input;
  if (!input.variable_length) {
    const std::string last = layer.Slice(layer.x(), 1, input.Steps() - 1, input.Steps());
    return layer.Add("Squeeze", {last, layer.graph.Integers({1})});
  }
  const std::string step = layer.Add("Sub", {layer.lengths.Of(input), layer.graph.Integers({1})});
  const std::string index = layer.Add("Unsqueeze", {step, layer.graph.Integers({1})});
  return layer.Add("GatherND", {layer.x(), index}, {{"batch_dims", int64_t{1}}});
}

std::string WriteConcat(const OnnxLayer& layer) {
  return layer.Add("Concat", layer.inputs, {{"axis", ChannelAxis(layer.layer.input)}});
}

std::string WriteStack(const OnnxLayer& layer) {
  const std::string axis = layer.graph.Integers({1});
  std::vector<std::string> steps;
  for (const std::string& input : layer.inputs)
    steps.push_back(layer.Add("Unsqueeze", {input, axis}));
  return layer.Add("Concat", std::move(steps), {{"axis", int64_t{1}}});
}

std::string WriteEmbedding(const OnnxLayer& layer) {
  const std::string indices =
      layer.Add("Cast", {layer.x()}, {{"to", OnnxTypeCode(OnnxType::kInt64)}});
  const std::string flat = layer.Add("Squeeze", {indices, layer.graph.Integers({-1})});
  return layer.Add("Gather", {layer.Parameter("weight"), flat});
}

}  // namespace dl::inference

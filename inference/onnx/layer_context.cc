#include "inference/onnx/layer_context.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace dl::inference {

OnnxLengths::Entry& OnnxLengths::EntryOf(const nn::InputType& type) {
  const auto found = std::ranges::find(entries_, type.lengths, &Entry::lengths);
  if (found != entries_.end()) return *found;
  std::string value = graph_.Add(
      {.op = "Cast", .inputs = {input_}, .attributes = {{"to", OnnxTypeCode(OnnxType::kInt64)}}});
  for (const nn::StepWindow& window : type.lengths.windows) value = Apply(window, value);
  return entries_.emplace_back(Entry{type.lengths, value, {}});
}

// The formula of nn::StepWindow::LengthOf.
std::string OnnxLengths::Apply(const nn::StepWindow& window, const std::string& lengths) {
  const auto number = [&](int64_t value) { return graph_.Integers({value}); };
  const auto add = [&](std::string_view op, std::string a, std::string b) {
    return graph_.Add({.op = op, .inputs = {std::move(a), std::move(b)}});
  };
  const std::string last = add("Max", add("Add", lengths, number(window.added - 1)), number(0));
  const std::string whole = add("Add", add("Div", last, number(window.stride)), number(1));
  if (!window.ceil_mode) return whole;
  const std::string rest = add("Mod", last, number(window.stride));
  const std::string is_part_left = add("Greater", rest, number(0));
  const std::string begins_inside = add("Less", add("Mul", whole, number(window.stride)),
                                        add("Add", lengths, number(window.before)));
  const std::string one_more = graph_.Add({.op = "Cast",
                                           .inputs = {add("And", is_part_left, begins_inside)},
                                           .attributes = {{"to", OnnxTypeCode(OnnxType::kInt64)}}});
  return add("Add", whole, one_more);
}

const std::string& OnnxLengths::Of(const nn::InputType& type) { return EntryOf(type).value; }

const std::string& OnnxLengths::MaskOf(const nn::InputType& type) {
  Entry& entry = EntryOf(type);
  std::string& mask = entry.masks[type.Steps()];
  if (!mask.empty()) return mask;
  std::vector<int64_t> steps(type.Steps());
  std::iota(steps.begin(), steps.end(), int64_t{0});
  const std::string numbers =
      graph_.Constant(std::span<const int64_t>(steps), {1, static_cast<int64_t>(steps.size()), 1});
  const std::string lengths =
      graph_.Add({.op = "Unsqueeze", .inputs = {entry.value, graph_.Integers({1, 2})}});
  mask = graph_.Add({.op = "Less", .inputs = {numbers, lengths}});
  return mask;
}

std::string OnnxLayer::Parameter(std::string_view name) const {
  const auto shared = std::ranges::find(layer.shared, name, &nn::SharedParameter::name);
  const nn::LayerConfig& owner = shared == layer.shared.end() ? layer : model.layers[shared->layer];
  return absl::StrCat(owner.name, ".", std::string(name));
}

std::string OnnxLayer::Reshape(const std::string& value, std::vector<int64_t> shape) const {
  shape.insert(shape.begin(), 0);  // 0: as in the input
  return Add("Reshape", {value, graph.Integers(std::move(shape))});
}

std::string OnnxLayer::Slice(const std::string& value, int64_t axis, int64_t begin,
                             int64_t end) const {
  return Add("Slice",
             {value, graph.Integers({begin}), graph.Integers({end}), graph.Integers({axis})});
}

}  // namespace dl::inference

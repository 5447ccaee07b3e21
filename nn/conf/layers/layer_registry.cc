#include "nn/conf/layers/layer_registry.h"

#include <array>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/one_of_members.h"
#include "base/overloaded.h"
#include "base/suggest.h"
#include "nn/conf/kinds.h"
#include "nn/conf/typed_object.h"

namespace dl {

template class OneOf<nn::AllLayers>;

namespace nn {
namespace {

template <size_t I>
LayerType LayerTypeOf() {
  using Layer = std::variant_alternative_t<I, AllLayers::Variant>;
  return {.tag = Layer::kTag,
          .make_default = [] { return LayerConf(Layer()); },
          .samples = &Layer::Samples};
}

template <size_t... I>
std::array<LayerType, sizeof...(I)> AllLayerTypes(std::index_sequence<I...>) {
  return {LayerTypeOf<I>()...};
}

std::string UnknownType(const std::string& tag) {
  const std::string text = absl::StrCat("there is no layer type \"", tag, "\"");
  for (const ActivationKind kind : AllKinds(ActivationTag)) {
    if (ActivationTag(kind) != tag) continue;
    return absl::StrCat(text, "; it is an activation: state it in the layer before, or write ",
                        R"({"type": "activation", "activation": ")", tag, "\"}");
  }
  std::vector<std::string> tags;
  for (const LayerType& known : LayerTypes()) tags.emplace_back(known.tag);
  return text + DidYouMean(tag, tags);
}

}  // namespace

std::span<const LayerType> LayerTypes() {
  static const auto rows =
      AllLayerTypes(std::make_index_sequence<std::variant_size_v<AllLayers::Variant>>());
  return rows;
}

const LayerType* FindLayerType(std::string_view tag) {
  for (const LayerType& type : LayerTypes()) {
    if (type.tag == tag) return &type;
  }
  return nullptr;
}

Members MembersOf(LayerConf& layer) {
  return std::visit([](auto& x) { return MembersOf(x); }, layer);
}

std::string_view TagOf(const LayerConf& layer) {
  return std::visit([](const auto& x) { return x.kTag; }, layer);
}
std::string_view NamePrefixOf(const LayerConf& layer) {
  return std::visit([](const auto& x) { return x.kNamePrefix; }, layer);
}
const std::string& NameOf(const LayerConf& layer) {
  return std::visit([](const auto& x) -> const std::string& { return x.name; }, layer);
}
void SetName(LayerConf& layer, std::string name) {
  std::visit([&](auto& x) { x.name = std::move(name); }, layer);
}
void Freeze(LayerConf& layer) {
  std::visit(
      [](auto& x) {
        if constexpr (requires { x.frozen; }) x.frozen = true;
      },
      layer);
}
void Unfreeze(LayerConf& layer) {
  std::visit(
      [](auto& x) {
        if constexpr (requires { x.frozen; }) x.frozen = false;
      },
      layer);
}
bool IsFrozen(const LayerConf& layer) {
  return std::visit(
      [](const auto& x) {
        if constexpr (requires { x.frozen; }) {
          return x.frozen;
        } else {
          return false;
        }
      },
      layer);
}
const std::vector<std::string>& InputsOf(const LayerConf& layer) {
  return std::visit([](const auto& x) -> const std::vector<std::string>& { return x.inputs; },
                    layer);
}
void SetInputs(LayerConf& layer, std::vector<std::string> inputs) {
  std::visit([&](auto& x) { x.inputs = std::move(inputs); }, layer);
}
const std::string& WeightsOwnerOf(const LayerConf& layer) {
  return std::visit([](const auto& x) -> const std::string& { return x.weights_of; }, layer);
}
void SetWeightsOf(LayerConf& layer, std::string owner) {
  std::visit([&](auto& x) { x.weights_of = std::move(owner); }, layer);
}
bool StatesWeightKeys(const LayerConf& layer) {
  return std::visit(
      [](const auto& x) {
        if constexpr (std::is_base_of_v<StartKeys, std::decay_t<decltype(x)>>) {
          bool states = static_cast<const StartKeys&>(x) != StartKeys();
          if constexpr (requires { x.bias_init; }) states |= x.bias_init != 0;
          return states;
        } else if constexpr (std::is_same_v<std::decay_t<decltype(x)>, PRelu>) {
          return x.frozen || x.slope != PRelu().slope;
        } else if constexpr (requires { x.frozen; }) {
          return x.frozen;
        } else {
          return false;
        }
      },
      layer);
}
int64_t MaxInputsOf(const LayerConf& layer) {
  return std::visit([](const auto& x) { return x.kMaxInputs; }, layer);
}
bool TakesVariableLength(const LayerConf& layer) {
  return std::visit([](const auto& x) { return x.kTakesVariableLength; }, layer);
}
bool EndsModel(const LayerConf& layer) {
  return std::holds_alternative<Output>(layer) || std::holds_alternative<LossLayer>(layer);
}
LossConf& LossOf(LayerConf& layer) {
  if (auto* loss = std::get_if<LossLayer>(&layer)) return loss->loss;
  return std::get<Output>(layer).loss;
}
InputNeed NeedsOf(const LayerConf& layer) {
  return std::visit([](const auto& x) { return x.kNeeds; }, layer);
}

std::vector<CarriedConf> CarriedOf(const LayerConf& layer) {
  return std::visit([](const auto& x) { return x.Carried(); }, layer);
}

// No default branch, here and wherever layers are distinguished: a new layer must be handled
// everywhere.
ActivationConf ActivationOf(const LayerConf& layer) {
  return std::visit(Overloaded{
                        [](const Dense& x) { return x.activation; },
                        [](const Conv2D& x) { return x.activation; },
                        [](const Output& x) { return x.activation; },
                        [](const LossLayer&) { return Identity(); },
                        [](const ActivationLayer& x) { return x.activation; },
                        [](const MaxPool2D&) { return Identity(); },
                        [](const AvgPool2D&) { return Identity(); },
                        [](const GlobalAvgPool2D&) { return Identity(); },
                        [](const AdaptiveAvgPool2D&) { return Identity(); },
                        [](const AdaptiveMaxPool2D&) { return Identity(); },
                        [](const Conv3D& x) { return x.activation; },
                        [](const MaxPool3D&) { return Identity(); },
                        [](const AvgPool3D&) { return Identity(); },
                        [](const GlobalAvgPool3D&) { return Identity(); },
                        [](const Conv1D& x) { return x.activation; },
                        [](const MaxPool1D&) { return Identity(); },
                        [](const AvgPool1D&) { return Identity(); },
                        [](const GlobalAvgPool1D&) { return Identity(); },
                        [](const GlobalMaxPool1D&) { return Identity(); },
                        // Its function has weights, so it is not an activation.
                        [](const PRelu&) { return Identity(); },
                        [](const Dropout&) { return Identity(); },
                        [](const BatchNorm&) { return Identity(); },
                        [](const Flatten&) { return Identity(); },
                        [](const Add&) { return Identity(); },
                        [](const Multiply&) { return Identity(); },
                        [](const Average&) { return Identity(); },
                        [](const Maximum&) { return Identity(); },
                        [](const Concat&) { return Identity(); },
                        [](const Stack&) { return Identity(); },
                        [](const GroupNorm&) { return Identity(); },
                        [](const InstanceNorm&) { return Identity(); },
                        [](const LayerNorm&) { return Identity(); },
                        [](const RmsNorm&) { return Identity(); },
                        [](const Embedding&) { return Identity(); },
                        [](const PositionalEmbedding&) { return Identity(); },
                        // Their activation is applied within each step, not after the layer.
                        [](const SimpleRnn&) { return Identity(); },
                        [](const Gru&) { return Identity(); },
                        [](const Lstm&) { return Identity(); },
                        [](const LastStep&) { return Identity(); },
                        [](const SelfAttention&) { return Identity(); },
                        [](const CrossAttention&) { return Identity(); },
                        [](const Upsample2D&) { return Identity(); },
                        [](const Reshape&) { return Identity(); },
                        [](const Permute&) { return Identity(); },
                        [](const Repeat&) { return Identity(); },
                        [](const Subset&) { return Identity(); },
                        [](const ScaleShift&) { return Identity(); },
                        [](const GaussianSample&) { return Identity(); },
                        [](const GaussianNoise&) { return Identity(); },
                        [](const L2Normalize&) { return Identity(); },
                        [](const ZeroPad2D&) { return Identity(); },
                        [](const Crop2D&) { return Identity(); },
                        [](const LocalResponseNorm&) { return Identity(); },
                        [](const TransposedConv2D& x) { return x.activation; },
                    },
                    layer);
}

Json ToJson(const LayerConf& layer) {
  Json json{{"type", TagOf(layer)}, {"name", NameOf(layer)}};
  if (!InputsOf(layer).empty()) json["inputs"] = InputsOf(layer);
  if (!WeightsOwnerOf(layer).empty()) json["weights_of"] = WeightsOwnerOf(layer);
  WriteFields(MembersOf(layer), json);
  return json;
}

std::optional<LayerConf> LayerFromJson(const Json& json, const std::string& path,
                                       std::vector<std::string>& errors) {
  const Json whole = TypeInFull(json);
  JsonObjectReader reader(whole, path);
  std::string tag, name;
  reader.Require("type");
  reader.String("type", tag);
  const bool has_tag = reader.errors().empty();
  reader.String("name", name);
  std::vector<std::string> inputs;
  reader.StringList("inputs", inputs);
  std::string weights_of;
  reader.String("weights_of", weights_of);
  const LayerType* type = FindLayerType(tag);
  if (type == nullptr) {
    if (has_tag) reader.AddError("type", UnknownType(tag));
    // The other keys cannot be checked without the type.
    errors.insert(errors.end(), reader.errors().begin(), reader.errors().end());
    return std::nullopt;
  }
  for (const LayerType& known : LayerTypes())
    AddForeignKeys(reader, known.tag, MembersOf(known.make_default()));
  LayerConf layer = type->make_default();
  SetName(layer, name);
  SetInputs(layer, std::move(inputs));
  SetWeightsOf(layer, std::move(weights_of));
  ReadFields(reader, MembersOf(layer));
  std::visit([&](auto& x) { x.FinishRead(reader); }, layer);
  if (reader.Finish().ok()) return layer;
  errors.insert(errors.end(), reader.errors().begin(), reader.errors().end());
  return std::nullopt;
}

}  // namespace nn
}  // namespace dl

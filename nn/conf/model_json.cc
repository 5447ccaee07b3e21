#include "nn/conf/model_json.h"

#include "absl/strings/str_cat.h"
#include "base/document_version.h"
#include "base/json.h"
#include "base/limits.h"
#include "nn/conf/members.h"
#include "nn/conf/sequential.h"

namespace dl::nn {

Json ToJson(const ModelConfig& model) {
  Json layers = Json::array();
  for (const LayerConfig& layer : model.layers) {
    if (layer.origin == LayerConfig::Origin::kUser) layers.push_back(ToJson(layer.conf));
  }
  Json json{{"format", kModelDocument.version()},
            {"name", model.name},
            {"seed", model.seed},
            {"layers", std::move(layers)}};
  if (HasUnnamedInput(model)) {
    json["input"] = ToJson(model.input());
  } else {
    Json& inputs = json["inputs"] = Json::array();
    for (const NamedInput& input : model.inputs) {
      inputs.push_back(ToJson(input.type));
      inputs.back()["name"] = input.name;
    }
  }
  WriteFields(MembersOf(model), json);
  return json;
}

namespace {

// Reads the inputs. Returns false if the reader reported a mistake.
bool ReadInputs(JsonObjectReader& reader, Sequential& builder) {
  const size_t before = reader.errors().size();
  if (reader.Has("input") == reader.Has("inputs")) {
    reader.AddError("input",
                    reader.Has("input") ? "cannot be given together with inputs" : "is missing");
    return false;
  }
  if (reader.Has("input")) {
    builder.Input(InputTypeFromJson(*reader.Child("input"), reader.PathOf("input"), reader));
    return reader.errors().size() == before;
  }
  const Json& inputs = *reader.Child("inputs");
  if (!inputs.is_array() || inputs.empty()) {
    reader.AddError("inputs", "must be a list of inputs, at least one");
    return false;
  }
  if (static_cast<int64_t>(inputs.size()) > limits::kMaxModelInputs) {
    reader.AddError("inputs", absl::StrCat("holds ", inputs.size(), " inputs, but the limit is ",
                                           limits::kMaxModelInputs));
    return false;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const NamedInput input =
        NamedInputFromJson(inputs[i], absl::StrCat(reader.PathOf("inputs"), "[", i, "]"), reader);
    builder.Input(input.name, input.type);
  }
  return reader.errors().size() == before;
}

// Reads the list of layers. A layer that cannot be read leaves a gap, so that the others are
// checked.
void ReadLayers(JsonObjectReader& reader, Sequential& builder, std::vector<std::string>& errors) {
  const Json* layers = reader.Child("layers");
  if (layers == nullptr) {
    builder.UnreadableLayer();  // reported as missing
    return;
  }
  if (!layers->is_array()) {
    reader.AddError("layers", "must be a list of layers");
    builder.UnreadableLayer();
    return;
  }
  if (static_cast<int64_t>(layers->size()) > limits::kMaxLayers) {
    reader.AddError("layers", absl::StrCat("holds ", layers->size(), " layers, but the limit is ",
                                           limits::kMaxLayers));
    builder.UnreadableLayer();
    return;
  }
  for (size_t i = 0; i < layers->size(); ++i) {
    std::optional<LayerConf> layer =
        LayerFromJson((*layers)[i], absl::StrCat(reader.PathOf("layers"), "[", i, "]"), errors);
    if (layer) {
      builder.Layer(*std::move(layer));
    } else {
      builder.UnreadableLayer();
    }
  }
}

}  // namespace

StatusOr<ModelConfig> ModelFromJson(const Json& json, const std::string& path) {
  DL_ASSIGN_OR_RETURN(const CurrentDocument document, UpgradeToCurrent(kModelDocument, json, path));
  JsonObjectReader reader = document.Reader();
  std::string name(kDefaultModelName);
  uint64_t seed = 0;
  reader.String("name", name);
  reader.U64("seed", seed);
  Sequential builder(name);
  builder.Seed(seed);

  if (!ReadInputs(reader, builder)) builder.UnreadableInput();
  ModelConfig values;
  ReadFields(reader, MembersOf(values));
  builder.Updater(values.updater)
      .WeightInit(values.weight_init)
      .L1(values.l1)
      .L2(values.l2)
      .WeightDecay(values.weight_decay)
      .WeightConstraint(values.weight_constraint)
      .NormalizeGradients(values.gradient_normalization)
      .ClipGradientsByValue(values.clip_gradients_by_value)
      .ClipGradientsByNorm(values.clip_gradients_by_norm);
  reader.Require("layers");
  std::vector<std::string> layer_errors;
  ReadLayers(reader, builder, layer_errors);
  std::string frozen_up_to;
  reader.String("freeze_up_to", frozen_up_to);
  const bool all_names_known = layer_errors.empty();
  if (!frozen_up_to.empty() && all_names_known) builder.FreezeUpTo(frozen_up_to);

  Mistakes mistakes;
  (void)reader.Finish();  // adds errors for unknown keys, which are copied below
  for (const std::string& line : reader.errors()) mistakes.AddLine(line);
  for (std::string& line : layer_errors) mistakes.AddLine(std::move(line));
  std::optional<ModelConfig> model = builder.Build(mistakes);
  DL_RETURN_IF_ERROR(document.Explain(mistakes.ToStatus()));
  return *std::move(model);
}

}  // namespace dl::nn

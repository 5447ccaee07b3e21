#include "nn/conf/model_json.h"

#include "absl/strings/str_cat.h"
#include "base/document_version.h"
#include "base/json.h"
#include "base/limits.h"
#include "nn/conf/field_json.h"
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
            {"input", ToJson(model.input)},
            {"layers", std::move(layers)}};
  WriteFields(model, json);
  return json;
}

namespace {

// Reads the list; what cannot be read leaves a gap, so that the rest is still checked.
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
    reader.AddError("layers", absl::StrCat("holds ", layers->size(), " layers, the limit is ",
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
  DL_ASSIGN_OR_RETURN(const CurrentDocument document, BringToCurrent(kModelDocument, json, path));
  JsonObjectReader reader = document.Reader();
  std::string name(kDefaultModelName);
  uint64_t seed = 0;
  reader.String("name", name);
  reader.U64("seed", seed);
  Sequential builder(name);
  builder.Seed(seed);

  if (!reader.Has("input")) {
    reader.AddError("input", "is missing");
    builder.UnreadableInput();
  } else {
    const size_t before = reader.errors().size();
    InputType input = InputTypeFromJson(*reader.Child("input"), reader.PathOf("input"), reader);
    builder.Input(input);
    if (reader.errors().size() != before) builder.UnreadableInput();
  }
  ModelConfig values;
  ReadFields(reader, values);
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

  Mistakes mistakes;
  (void)reader.Finish();  // adds the unknown keys; the lines are taken below
  for (const std::string& line : reader.errors()) mistakes.AddLine(line);
  for (std::string& line : layer_errors) mistakes.AddLine(std::move(line));
  std::optional<ModelConfig> model = builder.Build(mistakes);
  DL_RETURN_IF_ERROR(document.Explain(mistakes.ToStatus()));
  return *std::move(model);
}

}  // namespace dl::nn

#include "inference/onnx/onnx_model.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "dataset/feature_column.h"
#include "dataset/readers/text/text_reader.h"
#include "inference/onnx/layers.h"
#include "job/job_words.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/model_outputs.h"

namespace dl::inference {
namespace {

constexpr int64_t kMaxWeightBytes = (int64_t{1} << 31) - (int64_t{1} << 24);

// Version of the description.
constexpr int kDescriptionVersion = 1;

Json ShapeJson(const std::vector<int64_t>& shape) {
  Json json = Json::array();
  for (const int64_t extent : shape) {
    if (extent == kAnyExamples) {
      json.push_back("examples");
    } else {
      json.push_back(extent);
    }
  }
  return json;
}

std::string_view KindName(OnnxInput::Kind kind) {
  switch (kind) {
    case OnnxInput::Kind::kValues:
      return "values";
    case OnnxInput::Kind::kIndices:
      return "indices";
    case OnnxInput::Kind::kColumn:
      return "column";
    case OnnxInput::Kind::kLengths:
      return "lengths";
  }
  return "values";
}

// Converts predicted numbers back to the unit of the data, as dataset::TargetScaler and
// `dl-submit predict` do. Returns the type of the result.
OnnxType RestoreTargets(const OnnxSource& source, const nn::ModelOutput& output, OnnxGraph& graph,
                        std::string& value) {
  const bool predicts_numbers =
      output.label_count == output.conf.units && !output.HasClasses() && output.label_count > 0;
  const dataset::Normalizer& normalizer = source.target_normalizer;
  const std::vector<double>& all_origins = source.schema.target_origins();
  if (!predicts_numbers) return OnnxType::kFloat;
  const auto cast = [&](OnnxType type) {
    value =
        graph.Add({.op = "Cast", .inputs = {value}, .attributes = {{"to", OnnxTypeCode(type)}}});
  };
  const auto combine = [&](std::string_view op, const std::vector<double>& values) {
    const std::string constant =
        graph.Constant(std::span<const double>(values), {static_cast<int64_t>(values.size())});
    value = graph.Add({.op = op, .inputs = {value, constant}});
  };
  if (!normalizer.first.empty()) {
    std::vector<double> shifts, scales;
    for (int64_t i = 0; i < output.label_count; ++i) {
      const auto target = static_cast<size_t>(output.first_label + i);
      shifts.push_back(normalizer.first[target]);
      scales.push_back(dataset::ScaleOf(normalizer, target));
    }
    cast(OnnxType::kDouble);
    combine("Div", scales);
    combine("Add", shifts);
    cast(OnnxType::kFloat);
  }
  if (all_origins.empty()) return OnnxType::kFloat;
  const auto first = all_origins.begin() + output.first_label;
  cast(OnnxType::kDouble);
  combine("Add", {first, first + output.label_count});
  return OnnxType::kDouble;
}

std::string_view PredictionOf(const nn::ModelOutput& output) {
  if (output.HasClassSequences()) return "class_sequences";
  if (output.HasClasses()) return "classes";
  return output.label_count > 0 ? "numbers" : "values";
}

}  // namespace

StatusOr<OnnxModel> OnnxModel::Create(const OnnxSource& source) {
  int64_t bytes = 0;
  for (const nn::LayerConfig& layer : source.model.layers)
    bytes += layer.ParameterCount() * static_cast<int64_t>(sizeof(float));
  if (bytes > kMaxWeightBytes) {
    return ResourceExhausted(
        {.message = absl::StrCat("the weights have ", bytes, " bytes, at most ", kMaxWeightBytes,
                                 " fit into an ONNX file"),
         .remedy = "Export with --format safetensors"});
  }
  return OnnxModel(source);
}

OnnxModel::OnnxModel(const OnnxSource& source)
    : schema_(source.schema), graph_(std::make_unique<OnnxGraph>(source.model.name)) {
  AddWeights(source);
  OnnxFeatures features = WriteFeatures(source.schema, source.normalizer, source.model, *graph_);
  inputs_ = std::move(features.inputs);
  AddOutputs(source, WriteLayers(source.model, features.model_inputs, *graph_));
}

void OnnxModel::AddWeights(const OnnxSource& source) {
  for (const nn::LayerConfig& layer : source.model.layers) {
    for (const nn::ParameterConf& parameter : layer.parameters) {
      const std::string name = absl::StrCat(layer.name, ".", parameter.name);
      const Segment* const segment = source.table.Find(name);
      DL_CHECK(segment != nullptr);
      graph_->AddWeight(name, source.table.View(*segment, source.weights), segment->shape);
      ++weights_;
    }
  }
}

void OnnxModel::AddOutputs(const OnnxSource& source, const std::vector<std::string>& predictions) {
  const std::vector<nn::ModelOutput> outputs = nn::OutputsOf(source.model);
  graph_->SetScope("predictions");
  for (size_t i = 0; i < outputs.size(); ++i) {
    const nn::ModelOutput& output = outputs[i];
    Output made{.predicts = PredictionOf(output)};
    std::string value = predictions[i];
    made.type = RestoreTargets(source, output, *graph_, value);
    made.shape = output.type.Shape();
    made.shape.insert(made.shape.begin(), kAnyExamples);
    made.name = graph_->Output(output.name, value, made.type, made.shape);
    if (output.HasClasses() || output.HasClassSequences())
      made.class_names = source.schema.ClassNamesAt(output.first_label);
    outputs_.push_back(std::move(made));
  }
}

Json OnnxModel::Description() const {
  Json json = {{"version", kDescriptionVersion}, {"opset", kOnnxOpset}};
  const Json columns = dataset::ColumnsToJson(schema_.columns());
  for (const OnnxInput& input : inputs_) {
    Json one = {{"name", input.name},
                {"type", std::string(OnnxTypeName(input.type))},
                {"shape", ShapeJson(input.shape)},
                {"kind", std::string(KindName(input.kind))}};
    if (input.column) one["column"] = columns[*input.column];
    if (input.kind == OnnxInput::Kind::kValues && !schema_.feature_names().empty())
      one["feature_names"] = schema_.feature_names();
    json["inputs"].push_back(std::move(one));
  }
  for (const Output& output : outputs_) {
    Json one = {{"name", output.name},
                {"type", std::string(OnnxTypeName(output.type))},
                {"shape", ShapeJson(output.shape)},
                {"predicts", std::string(output.predicts)}};
    if (!output.class_names.empty()) one["class_names"] = output.class_names;
    json["outputs"].push_back(std::move(one));
  }
  if (const auto unit = dataset::UnitOfText(schema_)) {
    json["text"] = {{"unit", job::WordOf(*unit)}, {"vocabulary", schema_.class_names()}};
  }
  return json;
}

Status OnnxModel::Write(const std::map<std::string, std::string>& metadata, ByteSink sink) const {
  return graph_->Write(metadata, sink);
}

}  // namespace dl::inference

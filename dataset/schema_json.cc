// Schemas as JSON.
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/limits.h"
#include "dataset/double_list.h"
#include "dataset/schema.h"

namespace dl::dataset {
namespace {

Json WeightsToJson(const ExampleWeights& weights) {
  Json json = {{"mean", weights.mean}};
  if (const auto* name = weights.column ? std::get_if<std::string>(&*weights.column) : nullptr)
    json["column"] = *name;
  else if (weights.column)
    json["column"] = std::get<int64_t>(*weights.column);
  return json;
}

StatusOr<ExampleWeights> WeightsFromJson(const Json& json, const std::string& path) {
  ExampleWeights weights;
  JsonObjectReader reader(json, path);
  reader.Require("mean");
  reader.Double("mean", weights.mean);
  job::Columns column;
  job::ReadValue(reader, "column", column);
  if (column.all.size() > 1) reader.AddError("column", "must be one column");
  DL_RETURN_IF_ERROR(reader.Finish());
  if (!column.all.empty()) weights.column = column.all.front();
  return weights;
}

void WriteFeatures(const ByteFeatures&, Json& json) { json["feature_type"] = "u8"; }
void WriteFeatures(const FloatFeatures& features, Json& json) {
  json["feature_type"] = "f32";
  if (!features.names.empty()) json["feature_names"] = features.names;
  if (!features.columns.empty()) json["columns"] = ColumnsToJson(features.columns);
  if (features.indices_from_zero) json["indices_from_zero"] = true;
  if (!features.origins.empty()) json["origins"] = features.origins;
}

void WriteClasses(int64_t classes, const std::vector<std::string>& names, int64_t labels,
                  Json& json) {
  json["label_kind"] = "class";
  json["classes"] = classes;
  if (!names.empty()) json["class_names"] = names;
  if (labels > 1) json["labels_per_example"] = labels;
}
void WriteLabels(const ClassLabels& labels, Json& json) {
  WriteClasses(labels.classes, labels.names, labels.per_example, json);
  if (labels.may_lack) json["may_lack_labels"] = true;
  if (labels.mask_probability > 0) json["mask_probability"] = labels.mask_probability;
}
void WriteLabels(const ClassSequences& labels, Json& json) {
  WriteClasses(labels.classes, labels.names, labels.longest, json);
  json["label_sequences"] = true;
}
void WriteLabels(const TargetLabels& labels, Json& json) {
  json["label_kind"] = "target";
  json["target_size"] = labels.size;
  if (labels.per_example > 1) json["labels_per_example"] = labels.per_example;
  if (!labels.columns.empty()) json["target_columns"] = ColumnsToJson(labels.columns);
  if (!labels.origins.empty()) json["target_origins"] = labels.origins;
}
void WriteLabels(const NoLabels&, Json& json) { json["label_kind"] = "none"; }

void ReadColumns(JsonObjectReader& reader, std::string_view key, std::vector<FeatureColumn>& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  StatusOr<std::vector<FeatureColumn>> columns = ColumnsFromJson(*json, reader.PathOf(key));
  if (columns.ok())
    out = *std::move(columns);
  else
    reader.AddErrors(columns.status());
}

// Reads the keys of this type of features only, so that keys of the other are unknown.
Features ReadFeatures(JsonObjectReader& reader) {
  std::string type;
  reader.Require("feature_type");
  reader.OneOf("feature_type", type, {"u8", "f32"});
  if (type == "u8") return ByteFeatures{};
  FloatFeatures features;
  reader.StringList("feature_names", features.names);
  ReadColumns(reader, "columns", features.columns);
  reader.Bool("indices_from_zero", features.indices_from_zero);
  ReadDoubles(reader, "origins", features.origins);
  return features;
}

// Reads the keys of this kind of labels only.
Labels ReadLabels(JsonObjectReader& reader) {
  std::string kind;
  reader.Require("label_kind");
  reader.OneOf("label_kind", kind, {"class", "target", "none"});
  if (kind == "none") return NoLabels{};
  int64_t labels = 1;
  reader.Int("labels_per_example", labels, {1, limits::kMaxExtent});
  if (kind == "target") {
    TargetLabels targets{.per_example = labels};
    reader.Int("target_size", targets.size, {1, limits::kMaxExtent});
    ReadColumns(reader, "target_columns", targets.columns);
    ReadDoubles(reader, "target_origins", targets.origins);
    return targets;
  }
  int64_t classes = 0;
  std::vector<std::string> names;
  bool sequences = false;
  reader.Int("classes", classes, {1, limits::kMaxClasses});
  reader.StringList("class_names", names);
  reader.Bool("label_sequences", sequences);
  if (sequences)
    return ClassSequences{.classes = classes, .names = std::move(names), .longest = labels};
  ClassLabels result{.classes = classes, .names = std::move(names), .per_example = labels};
  reader.Bool("may_lack_labels", result.may_lack);
  reader.Double("mask_probability", result.mask_probability, {0, 1});
  return result;
}

}  // namespace

Json SchemaToJson(const Schema& schema) {
  Json json = {{"feature_shape", schema.feature_shape}};
  std::visit([&](const auto& features) { WriteFeatures(features, json); }, schema.features);
  std::visit([&](const auto& labels) { WriteLabels(labels, json); }, schema.labels);
  if (schema.variable_length) json["variable_length"] = true;
  if (!schema.label_columns.all.empty()) json["label_columns"] = job::ToJson(schema.label_columns);
  if (schema.weights) json["weights"] = WeightsToJson(*schema.weights);
  return json;
}

StatusOr<Schema> SchemaFromJson(const Json& json, const std::string& path) {
  Schema schema;
  JsonObjectReader reader(json, path);
  reader.Require("feature_shape");
  reader.IntList("feature_shape", schema.feature_shape, {1, limits::kMaxExtent});
  schema.features = ReadFeatures(reader);
  schema.labels = ReadLabels(reader);
  reader.Bool("variable_length", schema.variable_length);
  job::ReadValue(reader, "label_columns", schema.label_columns);
  const Json* weights = reader.Child("weights");
  DL_RETURN_IF_ERROR(reader.Finish());
  if (weights != nullptr) {
    DL_ASSIGN_OR_RETURN(schema.weights, WeightsFromJson(*weights, reader.PathOf("weights")));
  }
  DL_RETURN_IF_ERROR(ValidateSchema(schema));
  return schema;
}

}  // namespace dl::dataset

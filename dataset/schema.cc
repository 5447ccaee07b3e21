#include "dataset/schema.h"

#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "dataset/double_list.h"

namespace dl::dataset {
int64_t Schema::FeatureSize() const {
  int64_t size = 1;
  for (int64_t extent : feature_shape) size *= extent;
  return size;
}
int64_t Schema::FeatureBytes() const {
  return FeatureSize() * (feature_type == FeatureType::kU8 ? 1 : 4);
}
int64_t Schema::LabelBytes() const {
  return 4 * (label_kind == LabelKind::kClass ? labels_per_example : TargetsPerExample());
}
int64_t Schema::StepSize() const {
  return feature_shape.size() == 2 ? feature_shape[1] : FeatureSize();
}
int64_t Schema::NormalizedFeatures() const {
  return feature_shape.size() >= 3 ? feature_shape[0] : StepSize();
}
int64_t Schema::RecordBytes() const {
  return 8 + (variable_length ? 4 : 0) + (weights ? 4 : 0) + LabelBytes() + FeatureBytes();
}
bool Schema::JudgesSteps() const {
  return !label_sequences && labels_per_example > 1 && feature_shape.size() == 2 &&
         labels_per_example == feature_shape[0];
}

const std::vector<std::string>& Schema::ClassNamesAt(int64_t target) const {
  return target_columns.empty() ? class_names : target_columns[target].categories;
}

namespace {

// `holds` says what the column contains, for errors.
Status ValidateColumn(const job::Column& column, const char* holds) {
  const auto* name = std::get_if<std::string>(&column);
  if (name != nullptr && !IsUtf8(*name))
    return BadSchema(absl::StrCat("the name of a column of ", holds, " is not UTF-8"));
  const auto* index = std::get_if<int64_t>(&column);
  if (index != nullptr && (*index < 0 || *index >= limits::kMaxCsvColumns))
    return BadSchema(absl::StrCat("there is no column ", *index, " of ", holds));
  return absl::OkStatus();
}

Status ValidateWeights(const ExampleWeights& weights) {
  if (!std::isfinite(weights.mean) || weights.mean <= 0)
    return BadSchema("the mean of the weights is no finite number above 0");
  return weights.column ? ValidateColumn(*weights.column, "weights") : absl::OkStatus();
}

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

}  // namespace

Status ValidateSchema(const Schema& schema) {
  if (schema.feature_shape.empty() || schema.feature_shape.size() > limits::kMaxRank) {
    return BadSchema(absl::StrCat("features have ", schema.feature_shape.size(),
                                  " dimensions, must have from 1 to ", limits::kMaxRank));
  }
  int64_t size = 1;
  for (int64_t extent : schema.feature_shape) {
    if (extent < 1 || extent > limits::kMaxExtent) {
      return BadSchema(absl::StrCat("a feature dimension of ", extent, ", must be from 1 to ",
                                    limits::kMaxExtent));
    }
    size *= extent;  // no overflow: both factors are bounded
    if (size > limits::kMaxBlockBytes)
      return BadSchema("one example is larger than a block may be");
  }
  if (schema.variable_length && (schema.feature_shape.size() != 2 ||
                                 (!schema.label_sequences && schema.labels_per_example != 1 &&
                                  schema.labels_per_example != schema.feature_shape[0]))) {
    return BadSchema(
        "lengths are of sequences, which have one label, one for each step, or a sequence of them");
  }
  if (!(schema.mask_probability >= 0 && schema.mask_probability < 1) ||
      (schema.mask_probability > 0 &&
       (!schema.JudgesSteps() || schema.StepSize() != 1 || schema.classes < 3))) {
    return BadSchema("tokens to be filled in are those of a text, with a label for each");
  }
  if (schema.feature_type != FeatureType::kU8 && schema.feature_type != FeatureType::kF32) {
    return BadSchema("unknown feature type");
  }
  if (schema.labels_per_example < 1 || schema.labels_per_example > limits::kMaxExtent ||
      (schema.labels_per_example > 1 && schema.label_kind != LabelKind::kClass &&
       (schema.label_kind != LabelKind::kTarget || !schema.JudgesSteps()))) {
    return BadSchema(absl::StrCat(schema.labels_per_example,
                                  " labels of an example, must be from 1 to ", limits::kMaxExtent,
                                  ", and of targets 1, or one for each step of a sequence"));
  }
  if (schema.label_sequences && schema.label_kind != LabelKind::kClass)
    return BadSchema("only classes are sequences");
  if (schema.may_lack_labels && (schema.label_kind != LabelKind::kClass || schema.label_sequences))
    return BadSchema("only examples with one class, or one for each step, may have none");
  if (schema.label_kind == LabelKind::kClass) {
    if (schema.classes < 1 || schema.classes > limits::kMaxClasses || schema.target_size != 0) {
      return BadSchema(
          absl::StrCat(schema.classes, " classes, must be from 1 to ", limits::kMaxClasses));
    }
    if (!schema.class_names.empty() &&
        static_cast<int64_t>(schema.class_names.size()) != schema.classes) {
      return BadSchema(
          absl::StrCat(schema.class_names.size(), " class names for ", schema.classes, " classes"));
    }
    std::set<std::string_view> seen;
    for (const std::string& name : schema.class_names) {
      if (!IsUtf8(name)) return BadSchema("a class name is not UTF-8");
      if (!seen.insert(name).second) return BadSchema(absl::StrCat("two classes are named ", name));
    }
  } else if (schema.label_kind == LabelKind::kTarget) {
    if (schema.target_size < 1 || schema.target_size > limits::kMaxExtent || schema.classes != 0 ||
        !schema.class_names.empty()) {
      return BadSchema(absl::StrCat(schema.target_size, " targets, must be from 1 to ",
                                    limits::kMaxExtent, " and without classes"));
    }
  } else if (schema.label_kind == LabelKind::kNone) {
    if (schema.classes != 0 || schema.target_size != 0 || !schema.class_names.empty())
      return BadSchema("there are no labels, and something is said of them");
  } else {
    return BadSchema("unknown label kind");
  }
  if (!schema.feature_names.empty() &&
      static_cast<int64_t>(schema.feature_names.size()) != schema.StepSize()) {
    return BadSchema(absl::StrCat(schema.feature_names.size(), " feature names for ",
                                  schema.StepSize(), " features"));
  }
  for (const std::string& name : schema.feature_names) {
    if (!IsUtf8(name)) return BadSchema("a feature name is not UTF-8");
  }
  if (!schema.origins.empty() &&
      (schema.feature_type != FeatureType::kF32 ||
       static_cast<int64_t>(schema.origins.size()) != schema.NormalizedFeatures())) {
    return BadSchema(absl::StrCat(schema.origins.size(), " origins for ",
                                  schema.NormalizedFeatures(), " features"));
  }
  for (const double origin : schema.origins) {
    if (!std::isfinite(origin)) return BadSchema("an origin is no finite number");
  }
  if (!schema.columns.empty()) {
    DL_RETURN_IF_ERROR(ValidateColumns(schema.columns));
    if (schema.feature_shape.size() > 2 || schema.feature_type != FeatureType::kF32 ||
        WidthOf(schema.columns) != schema.StepSize()) {
      return BadSchema(absl::StrCat("its columns are ", WidthOf(schema.columns),
                                    " floats, and it has other features"));
    }
  }
  if (!schema.target_columns.empty()) {
    DL_RETURN_IF_ERROR(ValidateColumns(schema.target_columns));
    if (static_cast<int64_t>(schema.target_columns.size()) != schema.target_size) {
      return BadSchema(absl::StrCat(schema.target_columns.size(), " columns of targets for ",
                                    schema.target_size, " targets"));
    }
    for (const FeatureColumn& column : schema.target_columns) {
      if (column.encoding == ColumnEncoding::kOneHot || column.fill_number || column.fill_category)
        return BadSchema("a column of targets is numbers or classes, and nothing fills it");
    }
  }
  if (static_cast<int64_t>(schema.label_columns.all.size()) > limits::kMaxCsvColumns)
    return BadSchema("it has more columns of labels than a table may have");
  for (const job::Column& column : schema.label_columns.all)
    DL_RETURN_IF_ERROR(ValidateColumn(column, "labels"));
  if (schema.weights) DL_RETURN_IF_ERROR(ValidateWeights(*schema.weights));
  if (schema.RecordBytes() > limits::kMaxBlockBytes) {
    return BadSchema(absl::StrCat("one example takes ", schema.RecordBytes(), " bytes, at most ",
                                  limits::kMaxBlockBytes, " fit a block"));
  }
  return absl::OkStatus();
}

std::optional<size_t> FirstWrongLabel(const Schema& schema, std::span<const int32_t> lengths,
                                      std::span<const int32_t> classes) {
  const auto labels = static_cast<size_t>(schema.labels_per_example);
  bool ended = false;  // for sequences of classes
  for (size_t i = 0; i < classes.size(); ++i) {
    if (schema.label_sequences) {
      if (i % labels == 0) ended = false;
      const bool right =
          classes[i] == kNoLabel || (!ended && classes[i] >= 0 && classes[i] < schema.classes);
      if (!right) return i;
      ended = classes[i] == kNoLabel;
      continue;
    }
    const bool over = schema.JudgesSteps() && !lengths.empty() &&
                      static_cast<int64_t>(i % labels) >= lengths[i / labels];
    const bool lacks = classes[i] == kNoLabel && (over || schema.may_lack_labels);
    const bool right = lacks || (!over && classes[i] >= 0 && classes[i] < schema.classes);
    if (!right) return i;
  }
  return std::nullopt;
}

std::optional<size_t> FirstWrongWeight(std::span<const float> weights) {
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0) return i;
  }
  return std::nullopt;
}

Json SchemaToJson(const Schema& schema) {
  Json json = {{"feature_shape", schema.feature_shape},
               {"feature_type", schema.feature_type == FeatureType::kU8 ? "u8" : "f32"},
               {"label_kind", schema.label_kind == LabelKind::kClass    ? "class"
                              : schema.label_kind == LabelKind::kTarget ? "target"
                                                                        : "none"}};
  if (schema.label_kind == LabelKind::kClass) {
    json["classes"] = schema.classes;
    if (!schema.class_names.empty()) json["class_names"] = schema.class_names;
  } else if (schema.label_kind == LabelKind::kTarget) {
    json["target_size"] = schema.target_size;
  }
  if (schema.labels_per_example > 1) json["labels_per_example"] = schema.labels_per_example;
  if (schema.label_sequences) json["label_sequences"] = true;
  if (schema.may_lack_labels) json["may_lack_labels"] = true;
  if (schema.indices_from_zero) json["indices_from_zero"] = true;
  if (schema.variable_length) json["variable_length"] = true;
  if (schema.mask_probability > 0) json["mask_probability"] = schema.mask_probability;
  if (!schema.feature_names.empty()) json["feature_names"] = schema.feature_names;
  if (!schema.origins.empty()) json["origins"] = schema.origins;
  if (!schema.columns.empty()) json["columns"] = ColumnsToJson(schema.columns);
  if (!schema.target_columns.empty()) json["target_columns"] = ColumnsToJson(schema.target_columns);
  if (!schema.label_columns.all.empty()) json["label_columns"] = job::ToJson(schema.label_columns);
  if (schema.weights) json["weights"] = WeightsToJson(*schema.weights);
  return json;
}

StatusOr<Schema> SchemaFromJson(const Json& json, const std::string& path) {
  Schema schema;
  std::string type, kind;
  JsonObjectReader reader(json, path);
  for (const char* key : {"feature_shape", "feature_type", "label_kind"}) reader.Require(key);
  reader.IntList("feature_shape", schema.feature_shape, {1, limits::kMaxExtent});
  reader.OneOf("feature_type", type, {"u8", "f32"});
  reader.OneOf("label_kind", kind, {"class", "target", "none"});
  reader.Int("classes", schema.classes, {1, limits::kMaxClasses});
  reader.StringList("class_names", schema.class_names);
  reader.Int("labels_per_example", schema.labels_per_example, {1, limits::kMaxExtent});
  reader.Bool("label_sequences", schema.label_sequences);
  reader.Bool("may_lack_labels", schema.may_lack_labels);
  reader.Bool("indices_from_zero", schema.indices_from_zero);
  reader.Bool("variable_length", schema.variable_length);
  reader.Double("mask_probability", schema.mask_probability, {0, 1});
  reader.StringList("feature_names", schema.feature_names);
  reader.Int("target_size", schema.target_size, {1, limits::kMaxExtent});
  ReadDoubles(reader, "origins", schema.origins);
  const Json* columns = reader.Child("columns");
  const Json* target_columns = reader.Child("target_columns");
  const Json* weights = reader.Child("weights");
  job::ReadValue(reader, "label_columns", schema.label_columns);
  DL_RETURN_IF_ERROR(reader.Finish());
  if (columns != nullptr) {
    DL_ASSIGN_OR_RETURN(schema.columns, ColumnsFromJson(*columns, reader.PathOf("columns")));
  }
  if (target_columns != nullptr) {
    DL_ASSIGN_OR_RETURN(schema.target_columns,
                        ColumnsFromJson(*target_columns, reader.PathOf("target_columns")));
  }
  if (weights != nullptr) {
    DL_ASSIGN_OR_RETURN(schema.weights, WeightsFromJson(*weights, reader.PathOf("weights")));
  }
  schema.feature_type = type == "u8" ? FeatureType::kU8 : FeatureType::kF32;
  schema.label_kind = kind == "class"    ? LabelKind::kClass
                      : kind == "target" ? LabelKind::kTarget
                                         : LabelKind::kNone;
  DL_RETURN_IF_ERROR(ValidateSchema(schema));
  return schema;
}

}  // namespace dl::dataset

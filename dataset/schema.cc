#include "dataset/schema.h"

#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/utf8.h"

namespace dl::dataset {
namespace {

const ClassLabels kNoClassLabels;
const TargetLabels kNoTargets;
const FloatFeatures kNoFloats;

template <typename T, typename Variant>
const T& GetOr(const Variant& variant, const T& otherwise) {
  const T* alternative = std::get_if<T>(&variant);
  return alternative != nullptr ? *alternative : otherwise;
}

}  // namespace

FeatureType Schema::feature_type() const {
  return std::holds_alternative<ByteFeatures>(features) ? FeatureType::kU8 : FeatureType::kF32;
}
const std::vector<std::string>& Schema::feature_names() const {
  return GetOr(features, kNoFloats).names;
}
const std::vector<FeatureColumn>& Schema::columns() const {
  return GetOr(features, kNoFloats).columns;
}
const std::vector<double>& Schema::origins() const { return GetOr(features, kNoFloats).origins; }
bool Schema::indices_from_zero() const { return GetOr(features, kNoFloats).indices_from_zero; }

LabelKind Schema::label_kind() const {
  if (std::holds_alternative<TargetLabels>(labels)) return LabelKind::kTarget;
  return std::holds_alternative<NoLabels>(labels) ? LabelKind::kNone : LabelKind::kClass;
}
int64_t Schema::labels_per_example() const {
  if (const auto* sequences = std::get_if<ClassSequences>(&labels)) return sequences->longest;
  if (const auto* targets = std::get_if<TargetLabels>(&labels)) return targets->per_example;
  return GetOr(labels, kNoClassLabels).per_example;
}
int64_t Schema::classes() const {
  if (const auto* sequences = std::get_if<ClassSequences>(&labels)) return sequences->classes;
  return GetOr(labels, kNoClassLabels).classes;
}
const std::vector<std::string>& Schema::class_names() const {
  if (const auto* sequences = std::get_if<ClassSequences>(&labels)) return sequences->names;
  return GetOr(labels, kNoClassLabels).names;
}
bool Schema::may_lack_labels() const { return GetOr(labels, kNoClassLabels).may_lack; }
double Schema::mask_probability() const { return GetOr(labels, kNoClassLabels).mask_probability; }
int64_t Schema::target_size() const { return GetOr(labels, kNoTargets).size; }
const std::vector<FeatureColumn>& Schema::target_columns() const {
  return GetOr(labels, kNoTargets).columns;
}
const std::vector<double>& Schema::target_origins() const {
  return GetOr(labels, kNoTargets).origins;
}
void Schema::SetLabelsPerExample(int64_t count) {
  if (auto* sequences = std::get_if<ClassSequences>(&labels)) {
    sequences->longest = count;
  } else if (auto* targets = std::get_if<TargetLabels>(&labels)) {
    targets->per_example = count;
  } else if (auto* classes = std::get_if<ClassLabels>(&labels)) {
    classes->per_example = count;
  }
}
void Schema::SetClasses(int64_t classes, std::vector<std::string> names) {
  if (auto* sequences = std::get_if<ClassSequences>(&labels)) {
    sequences->classes = classes;
    sequences->names = std::move(names);
    return;
  }
  auto& own = std::get<ClassLabels>(labels);
  own.classes = classes;
  own.names = std::move(names);
}

int64_t Schema::FeatureSize() const {
  int64_t size = 1;
  for (int64_t extent : feature_shape) size *= extent;
  return size;
}
int64_t Schema::FeatureBytes() const {
  return FeatureSize() * (feature_type() == FeatureType::kU8 ? 1 : 4);
}
int64_t Schema::LabelBytes() const {
  return 4 * (label_kind() == LabelKind::kClass ? labels_per_example() : TargetsPerExample());
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
  return !label_sequences() && labels_per_example() > 1 && feature_shape.size() == 2 &&
         labels_per_example() == feature_shape[0];
}

const std::vector<std::string>& Schema::ClassNamesAt(int64_t target) const {
  return target_columns().empty() ? class_names() : target_columns()[target].categories;
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

}  // namespace

namespace {

Status ValidateShape(const std::vector<int64_t>& shape) {
  if (shape.empty() || shape.size() > limits::kMaxRank) {
    return BadSchema(absl::StrCat("features have ", shape.size(),
                                  " dimensions, must have from 1 to ", limits::kMaxRank));
  }
  int64_t size = 1;
  for (int64_t extent : shape) {
    if (extent < 1 || extent > limits::kMaxExtent) {
      return BadSchema(absl::StrCat("a feature dimension of ", extent, ", must be from 1 to ",
                                    limits::kMaxExtent));
    }
    size *= extent;  // no overflow: both factors are bounded
    if (size > limits::kMaxBlockBytes)
      return BadSchema("one example is larger than a block may be");
  }
  return absl::OkStatus();
}

Status Validate(const ByteFeatures&, const Schema&) { return absl::OkStatus(); }

Status Validate(const FloatFeatures& features, const Schema& schema) {
  if (!features.names.empty() && static_cast<int64_t>(features.names.size()) != schema.StepSize()) {
    return BadSchema(
        absl::StrCat(features.names.size(), " feature names for ", schema.StepSize(), " features"));
  }
  for (const std::string& name : features.names) {
    if (!IsUtf8(name)) return BadSchema("a feature name is not UTF-8");
  }
  if (!features.origins.empty() &&
      static_cast<int64_t>(features.origins.size()) != schema.NormalizedFeatures()) {
    return BadSchema(absl::StrCat(features.origins.size(), " origins for ",
                                  schema.NormalizedFeatures(), " features"));
  }
  for (const double origin : features.origins) {
    if (!std::isfinite(origin)) return BadSchema("an origin is no finite number");
  }
  if (features.columns.empty()) return absl::OkStatus();
  DL_RETURN_IF_ERROR(ValidateColumns(features.columns));
  if (schema.feature_shape.size() > 2 || WidthOf(features.columns) != schema.StepSize()) {
    return BadSchema(absl::StrCat("its columns are ", WidthOf(features.columns),
                                  " floats, and it has other features"));
  }
  return absl::OkStatus();
}

Status ValidateLabelCount(int64_t count) {
  if (count >= 1 && count <= limits::kMaxExtent) return absl::OkStatus();
  return BadSchema(
      absl::StrCat(count, " labels of an example, must be from 1 to ", limits::kMaxExtent));
}

Status ValidateClasses(int64_t classes, const std::vector<std::string>& names) {
  if (classes < 1 || classes > limits::kMaxClasses)
    return BadSchema(absl::StrCat(classes, " classes, must be from 1 to ", limits::kMaxClasses));
  if (!names.empty() && static_cast<int64_t>(names.size()) != classes)
    return BadSchema(absl::StrCat(names.size(), " class names for ", classes, " classes"));
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!IsUtf8(name)) return BadSchema("a class name is not UTF-8");
    if (!seen.insert(name).second) return BadSchema(absl::StrCat("two classes are named ", name));
  }
  return absl::OkStatus();
}

Status Validate(const ClassLabels& labels, const Schema& schema) {
  DL_RETURN_IF_ERROR(ValidateLabelCount(labels.per_example));
  const double masked = labels.mask_probability;
  const bool is_text = schema.JudgesSteps() && schema.StepSize() == 1 && labels.classes >= 3;
  if (!(masked >= 0 && masked < 1) || (masked > 0 && !is_text))
    return BadSchema("tokens to be filled in are those of a text, with a label for each");
  return ValidateClasses(labels.classes, labels.names);
}

Status Validate(const ClassSequences& labels, const Schema&) {
  DL_RETURN_IF_ERROR(ValidateLabelCount(labels.longest));
  return ValidateClasses(labels.classes, labels.names);
}

Status Validate(const TargetLabels& labels, const Schema& schema) {
  DL_RETURN_IF_ERROR(ValidateLabelCount(labels.per_example));
  if (labels.per_example > 1 && !schema.JudgesSteps()) {
    return BadSchema(absl::StrCat(labels.per_example,
                                  " targets of an example, must be 1, or one for each step of a "
                                  "sequence"));
  }
  if (!labels.origins.empty() && static_cast<int64_t>(labels.origins.size()) != labels.size) {
    return BadSchema(
        absl::StrCat(labels.origins.size(), " origins for ", labels.size, " numbers to predict"));
  }
  for (const double origin : labels.origins) {
    if (!std::isfinite(origin)) return BadSchema("an origin is no finite number");
  }
  if (labels.size < 1 || labels.size > limits::kMaxExtent)
    return BadSchema(absl::StrCat(labels.size, " targets, must be from 1 to ", limits::kMaxExtent));
  if (labels.columns.empty()) return absl::OkStatus();
  DL_RETURN_IF_ERROR(ValidateColumns(labels.columns));
  if (static_cast<int64_t>(labels.columns.size()) != labels.size) {
    return BadSchema(
        absl::StrCat(labels.columns.size(), " columns of targets for ", labels.size, " targets"));
  }
  for (const FeatureColumn& column : labels.columns) {
    if (column.encoding == ColumnEncoding::kOneHot || column.fill_number || column.fill_category)
      return BadSchema("a column of targets is numbers or classes, and nothing fills it");
  }
  return absl::OkStatus();
}

Status Validate(const NoLabels&, const Schema&) { return absl::OkStatus(); }

}  // namespace

std::vector<float> FillsOf(const Schema& schema) {
  const std::vector<double>& origins = schema.origins();
  std::vector<float> fills;
  bool any = false;
  for (const FeatureColumn& column : schema.columns()) {
    const bool has_fill = column.fill_number && column.encoding != ColumnEncoding::kDateParts;
    any = any || has_fill;
    for (int64_t i = 0; i < column.Width(); ++i) {
      const double origin = fills.size() < origins.size() ? origins[fills.size()] : 0;
      fills.push_back(has_fill ? static_cast<float>(*column.fill_number - origin)
                               : std::numeric_limits<float>::quiet_NaN());
    }
  }
  if (!any) fills.clear();
  return fills;
}

Status ValidateSchema(const Schema& schema) {
  DL_RETURN_IF_ERROR(ValidateShape(schema.feature_shape));
  const auto validate = [&](const auto& part) { return Validate(part, schema); };
  DL_RETURN_IF_ERROR(std::visit(validate, schema.labels));
  DL_RETURN_IF_ERROR(std::visit(validate, schema.features));
  const bool fits_lengths = schema.label_sequences() || schema.labels_per_example() == 1 ||
                            schema.labels_per_example() == schema.feature_shape[0];
  if (schema.variable_length && (schema.feature_shape.size() != 2 || !fits_lengths)) {
    return BadSchema(
        "lengths are of sequences, which have one label, one for each step, or a sequence of them");
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
  const auto labels = static_cast<size_t>(schema.labels_per_example());
  const int64_t known = schema.classes();
  const bool are_sequences = schema.label_sequences(), may_lack = schema.may_lack_labels(),
             steps_end = schema.JudgesSteps() && !lengths.empty();
  bool ended = false;  // for sequences of classes
  for (size_t i = 0; i < classes.size(); ++i) {
    if (are_sequences) {
      if (i % labels == 0) ended = false;
      const bool right =
          classes[i] == kNoLabel || (!ended && classes[i] >= 0 && classes[i] < known);
      if (!right) return i;
      ended = classes[i] == kNoLabel;
      continue;
    }
    const bool over = steps_end && static_cast<int64_t>(i % labels) >= lengths[i / labels];
    const bool lacks = classes[i] == kNoLabel && (over || may_lack);
    const bool right = lacks || (!over && classes[i] >= 0 && classes[i] < known);
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

}  // namespace dl::dataset

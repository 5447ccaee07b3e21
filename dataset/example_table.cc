#include "dataset/example_table.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::dataset {
namespace {

Status CheckFinite(const char* what, std::span<const float> values, int64_t per_example) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return InvalidArgument(
        {.message = absl::StrCat("a ", what, " is not a finite number"),
         .where = absl::StrCat("example ", i / per_example, ", ", what, " ", i % per_example)});
  }
  return absl::OkStatus();
}

}  // namespace

Status ValidateTable(const ExampleTable& table) {
  DL_RETURN_IF_ERROR(ValidateSchema(table.schema));
  const Schema& schema = table.schema;
  const bool is_class = schema.label_kind == LabelKind::kClass;
  const bool is_u8 = schema.feature_type == FeatureType::kU8;
  if (table.examples < 1 || table.examples > limits::kMaxExamples) {
    return InvalidArgument(
        {.message = absl::StrCat("the dataset has ", table.examples, " examples")});
  }
  const size_t n = static_cast<size_t>(table.examples);
  const size_t values = n * schema.FeatureSize();
  if (table.u8.size() != (is_u8 ? values : 0) || table.f32.size() != (is_u8 ? 0 : values) ||
      table.classes.size() != (is_class ? n : 0) ||
      table.targets.size() != (is_class ? 0 : n * schema.target_size)) {
    return InvalidArgument({.message = "the table's columns do not match its schema"});
  }
  for (size_t i = 0; i < table.classes.size(); ++i) {
    if (table.classes[i] < 0 || table.classes[i] >= schema.classes) {
      return InvalidArgument({.message = absl::StrCat("example ", i, " has class ",
                                                      table.classes[i], " of ", schema.classes)});
    }
  }
  DL_RETURN_IF_ERROR(CheckFinite("feature", table.f32, schema.FeatureSize()));
  return CheckFinite("target", table.targets, schema.target_size);
}

}  // namespace dl::dataset

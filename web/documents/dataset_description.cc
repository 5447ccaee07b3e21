#include "web/documents/dataset_description.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/printable.h"

namespace dl::web {
namespace {

// Returns a member of an object, or null.
const Json& Member(const Json& object, const char* name) {
  static const Json kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

std::string Counted(int64_t count, std::string_view one, std::string_view many) {
  return absl::StrCat(count, " ", std::string(count == 1 ? one : many));
}

std::string FeaturesText(const Json& schema) {
  std::vector<int64_t> shape;
  for (const Json& extent : Member(schema, "feature_shape")) {
    if (extent.is_number_integer()) shape.push_back(extent.get<int64_t>());
  }
  if (shape.size() == 1) return Counted(shape[0], "feature", "features");
  if (shape.size() == 2) {
    return absl::StrCat(Counted(shape[0], "step", "steps"), " × ",
                        Counted(shape[1], "feature", "features"));
  }
  return absl::StrJoin(shape, " × ");
}

std::string LabelText(const Json& schema) {
  const std::string kind = schema.value("label_kind", "none");
  if (kind == "class") return Counted(schema.value("classes", int64_t{0}), "class", "classes");
  if (kind == "target")
    return Counted(schema.value("target_size", int64_t{1}), "number", "numbers");
  return "none";
}

Json ClassesOf(const Json& manifest, const Json& schema) {
  const Json& histogram = Member(manifest, "class_histogram");
  const Json& names = Member(schema, "class_names");
  double all = 0;
  for (const Json& count : histogram) all += count.is_number() ? count.get<double>() : 0;
  Json classes = Json::array();
  for (size_t c = 0; c < histogram.size(); ++c) {
    if (!histogram[c].is_number_integer()) continue;
    const bool has_name = c < names.size() && names[c].is_string();
    classes.push_back(
        {{"name", has_name ? VisibleName(names[c].get<std::string>()) : absl::StrCat(c)},
         {"examples", histogram[c]},
         {"share", histogram[c].get<double>() / std::max(1.0, all)}});
  }
  return classes;
}

std::string EncodingText(const std::string& encoding) {
  if (encoding == "one_hot") return "categories, a feature for each";
  if (encoding == "index") return "categories, by number";
  if (encoding == "date") return "date, in days since 1970";
  if (encoding == "date_parts") return "date, in six parts";
  return "number";
}

Json ColumnsOf(const Json& schema) {
  Json columns = Json::array();
  for (const Json& column : Member(schema, "columns")) {
    if (!column.is_object()) continue;
    Json row = {{"name", column.value("name", absl::StrCat(columns.size()))},
                {"encoding", EncodingText(column.value("encoding", "number"))}};
    const Json& categories = Member(column, "categories");
    if (categories.is_array()) row["categories"] = categories.size();
    const Json& fill = Member(column, "fill");
    if (fill.is_number()) row["fill_number"] = fill;
    if (fill.is_string()) row["fill"] = fill == "" ? Json("a category of its own") : fill;
    columns.push_back(std::move(row));
  }
  return columns;
}

constexpr size_t kMostNormalized = 40;  // features whose mean or range is shown

// Returns the names of the features of a row or a step. Empty if they have no names.
std::vector<std::string> FeatureNames(const Json& schema) {
  std::vector<std::string> names;
  for (const Json& name : Member(schema, "feature_names"))
    names.push_back(VisibleName(name.is_string() ? name.get<std::string>() : ""));
  if (!names.empty()) return names;
  for (const Json& column : Member(schema, "columns")) {
    const std::string name = column.value("name", absl::StrCat("column ", names.size()));
    const std::string encoding = column.value("encoding", "number");
    const Json& categories = Member(column, "categories");
    if (encoding == "one_hot") {
      for (const Json& category : categories)
        names.push_back(absl::StrCat(name, " = ", VisibleName(category.get<std::string>())));
    } else if (encoding == "date_parts") {
      for (const char* part : {"year", "month", "day", "weekday", "hour", "minute"})
        names.push_back(absl::StrCat(name, ", ", part));
    } else {
      names.push_back(name);
    }
  }
  return names;
}

// Returns the rows {"name","first","second"} of a normalizer: mean and deviation, or smallest and
// largest value, of each feature.
Json NormalizerRows(const Json& normalizer, const std::vector<std::string>& names) {
  Json rows = Json::array();
  if (!normalizer.is_object()) return rows;
  const bool is_range = normalizer.contains("min");
  const Json& first = Member(normalizer, is_range ? "min" : "mean");
  const Json& second = Member(normalizer, is_range ? "max" : "std");
  if (!first.is_array() || !second.is_array()) return rows;
  for (size_t i = 0; i < std::min({first.size(), second.size(), kMostNormalized}); ++i) {
    const bool has_name = names.size() == first.size();
    rows.push_back({{"name", has_name            ? names[i]
                             : first.size() == 1 ? "all"
                                                 : absl::StrCat("feature ", i)},
                    {"first", first[i]},
                    {"second", second[i]}});
  }
  return rows;
}

// Number of features that NormalizerRows leaves out; null if there are none.
Json FeaturesLeftOut(const Json& normalizer) {
  if (!normalizer.is_object()) return Json();
  const Json& first = Member(normalizer, normalizer.contains("min") ? "min" : "mean");
  return first.size() > kMostNormalized ? Json(first.size() - kMostNormalized) : Json();
}

}  // namespace

Json DatasetDescription(const Json& manifest) {
  if (!manifest.is_object()) return Json::object();
  const Json& schema = Member(manifest, "schema");
  const Json& blocks = Member(manifest, "blocks");
  Json document = {{"examples", manifest.value("examples", int64_t{0})},
                   {"order", manifest.value("order", "shuffled")},
                   {"fingerprint", manifest.value("content_fingerprint", "")},
                   {"blocks", blocks.is_array() ? Json(blocks.size()) : blocks}};
  const Json& normalizer = Member(manifest, "normalizer");
  if (normalizer.is_object() && normalizer.value("kind", "none") != "none")
    document["normalizer"] = normalizer.value("kind", "");
  document["is_range"] = normalizer.is_object() && normalizer.contains("min");
  if (!schema.is_object()) return document;
  document["features"] = FeaturesText(schema);
  document["label"] = LabelText(schema);
  document["classes"] = ClassesOf(manifest, schema);
  document["has_classes"] = !document["classes"].empty();
  const bool has_more_labels =
      schema.value("labels_per_example", int64_t{1}) > 1 || schema.value("label_sequences", false);
  document["counted"] = has_more_labels ? "Labels" : "Examples";
  const std::vector<std::string> features = FeatureNames(schema);
  document["normalizer_rows"] = NormalizerRows(normalizer, features);
  document["has_normalizer_rows"] = !document["normalizer_rows"].empty();
  document["more_features"] = FeaturesLeftOut(normalizer);
  if (Member(schema, "columns").is_null() && !features.empty()) {
    const size_t shown = std::min(features.size(), kMostNormalized);
    document["feature_names"] =
        absl::StrCat(absl::StrJoin(features.begin(), features.begin() + shown, ", "),
                     shown < features.size() ? ", …" : "");
  }
  document["columns"] = ColumnsOf(schema);
  document["has_columns"] = !document["columns"].empty();
  return document;
}

}  // namespace dl::web

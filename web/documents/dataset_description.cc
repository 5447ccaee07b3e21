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
    if (!fill.is_null()) row["fill"] = fill.is_string() ? fill : Json(JsonText(fill));
    columns.push_back(std::move(row));
  }
  return columns;
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
  if (!schema.is_object()) return document;
  document["features"] = FeaturesText(schema);
  document["label"] = LabelText(schema);
  document["classes"] = ClassesOf(manifest, schema);
  document["has_classes"] = !document["classes"].empty();
  document["columns"] = ColumnsOf(schema);
  document["has_columns"] = !document["columns"].empty();
  return document;
}

}  // namespace dl::web

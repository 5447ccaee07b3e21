#include "dataset/feature_column.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/utf8.h"

namespace dl::dataset {

Status BadSchema(std::string message) {
  return InvalidArgument({.message = std::move(message), .where = "schema"});
}

namespace {

Status ValidateCategories(const FeatureColumn& column) {
  const std::vector<std::string>& categories = column.categories;
  if (static_cast<int64_t>(categories.size()) > limits::kMaxCategories) {
    return BadSchema(absl::StrCat("a column has ", categories.size(), " categories, at most ",
                                  limits::kMaxCategories, " are possible"));
  }
  if (column.HasCategories() == categories.empty()) {
    return BadSchema(column.HasCategories() ? "a column of categories has none"
                                            : "a column of numbers has categories");
  }
  if (std::adjacent_find(categories.begin(), categories.end(), std::greater_equal<>()) !=
      categories.end()) {
    return BadSchema("the categories of a column are not in order, or one is there twice");
  }
  for (const std::string& category : categories) {
    if (!IsUtf8(category)) return BadSchema("a category is not UTF-8");
  }
  return absl::OkStatus();
}

Status ValidateFill(const FeatureColumn& column) {
  if (column.fill_number &&
      (column.HasCategories() || !(std::fabs(*column.fill_number) <= double{FLT_MAX}))) {
    return BadSchema("what fills a column of numbers is none");
  }
  if (!column.fill_category || column.fill_category->empty()) {
    return column.fill_category && !column.HasCategories()
               ? BadSchema("what fills a column of numbers is none")
               : absl::OkStatus();
  }
  if (std::binary_search(column.categories.begin(), column.categories.end(),
                         *column.fill_category)) {
    return absl::OkStatus();
  }
  return BadSchema("what fills a column is none of its categories");
}

StatusOr<FeatureColumn> ColumnFromJson(const Json& json, const std::string& path) {
  FeatureColumn column;
  std::string encoding = "number", unknown = "ignore", order = "sure";
  JsonObjectReader reader(json, path);
  reader.String("name", column.name);
  reader.OneOf("encoding", encoding, {"number", "one_hot", "index", "date", "date_parts"});
  reader.StringList("categories", column.categories);
  reader.OneOf("unknown", unknown, {"ignore", "error"});
  reader.String("zone", column.zone);
  reader.OneOf("order", order, {"sure", "day_first", "month_first"});
  if (const Json* fill = reader.Child("fill")) {
    if (fill->is_number()) {
      column.fill_number = fill->get<double>();
    } else if (fill->is_string()) {
      column.fill_category = fill->get<std::string>();
    } else {
      reader.AddError("fill", "must be a number or a category");
    }
  }
  DL_RETURN_IF_ERROR(reader.Finish());
  column.encoding = encoding == "number"    ? ColumnEncoding::kNumber
                    : encoding == "one_hot" ? ColumnEncoding::kOneHot
                    : encoding == "index"   ? ColumnEncoding::kIndex
                    : encoding == "date"    ? ColumnEncoding::kDate
                                            : ColumnEncoding::kDateParts;
  column.unknown_is_error = unknown == "error";
  column.date_order = order == "day_first"     ? job::DateOrder::kDayFirst
                      : order == "month_first" ? job::DateOrder::kMonthFirst
                                               : job::DateOrder::kSure;
  return column;
}

}  // namespace

int64_t FeatureColumn::Width() const {
  if (encoding == ColumnEncoding::kDateParts) return std::ssize(kDatePartNames);
  return encoding == ColumnEncoding::kOneHot ? static_cast<int64_t>(categories.size()) : 1;
}

int64_t WidthOf(const std::vector<FeatureColumn>& columns) {
  int64_t width = 0;
  for (const FeatureColumn& column : columns) width += column.Width();
  return width;
}

std::vector<std::string> FeatureNamesOf(const std::vector<FeatureColumn>& columns) {
  std::vector<std::string> names;
  for (const FeatureColumn& column : columns) {
    if (column.encoding == ColumnEncoding::kDateParts) {
      for (const std::string_view part : kDatePartNames)
        names.push_back(absl::StrCat(column.name, ".", std::string(part)));
      continue;
    }
    if (column.encoding != ColumnEncoding::kOneHot) names.push_back(column.name);
    if (column.encoding != ColumnEncoding::kOneHot) continue;
    for (const std::string& category : column.categories)
      names.push_back(absl::StrCat(column.name, "=", category));
  }
  return names;
}

Status ValidateColumns(const std::vector<FeatureColumn>& columns) {
  if (static_cast<int64_t>(columns.size()) > limits::kMaxCsvColumns)
    return BadSchema(absl::StrCat(columns.size(), " columns, at most ", limits::kMaxCsvColumns));
  for (const FeatureColumn& column : columns) {
    const bool is_date =
        column.encoding == ColumnEncoding::kDate || column.encoding == ColumnEncoding::kDateParts;
    if (!column.zone.empty() && (!is_date || !IsUtf8(column.zone)))
      return BadSchema("a column's zone is none of times");
    if (!IsUtf8(column.name)) return BadSchema("a column's name is not UTF-8");
    DL_RETURN_IF_ERROR(ValidateCategories(column));
    DL_RETURN_IF_ERROR(ValidateFill(column));
  }
  return absl::OkStatus();
}

Json ColumnsToJson(const std::vector<FeatureColumn>& columns) {
  Json list = Json::array();
  for (const FeatureColumn& column : columns) {
    Json json = Json::object();
    if (!column.name.empty()) json["name"] = column.name;
    if (column.encoding == ColumnEncoding::kDate) json["encoding"] = "date";
    if (column.encoding == ColumnEncoding::kDateParts) json["encoding"] = "date_parts";
    if (column.HasCategories()) {
      json["encoding"] = column.encoding == ColumnEncoding::kOneHot ? "one_hot" : "index";
      json["categories"] = column.categories;
      json["unknown"] = column.unknown_is_error ? "error" : "ignore";
    }
    if (column.date_order != job::DateOrder::kSure)
      json["order"] = column.date_order == job::DateOrder::kDayFirst ? "day_first" : "month_first";
    if (!column.zone.empty()) json["zone"] = column.zone;
    if (column.fill_number) json["fill"] = *column.fill_number;
    if (column.fill_category) json["fill"] = *column.fill_category;
    list.push_back(std::move(json));
  }
  return list;
}

StatusOr<std::vector<FeatureColumn>> ColumnsFromJson(const Json& json, const std::string& path) {
  if (!json.is_array())
    return InvalidArgument({.message = absl::StrCat(path, ": must be a list"), .where = path});
  std::vector<FeatureColumn> columns;
  for (const Json& entry : json) {
    DL_ASSIGN_OR_RETURN(FeatureColumn column,
                        ColumnFromJson(entry, absl::StrCat(path, "[", columns.size(), "]")));
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace dl::dataset

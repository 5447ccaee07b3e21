#include "job/sources/columns.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"

namespace dl::job {
namespace {

constexpr std::string_view kAutomatic = "auto";

bool IsIndex(const Json& json) {
  if (json.is_number_unsigned()) return json.get<uint64_t>() <= uint64_t{limits::kMaxExtent};
  return json.is_number_integer() && json.get<int64_t>() >= -limits::kMaxExtent;
}

}  // namespace

void ReadValue(JsonObjectReader& reader, std::string_view key, Columns& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  const Json list = json->is_array() ? *json : Json::array({*json});
  std::vector<Column> columns;
  for (const Json& entry : list) {
    if (entry.is_string()) {
      columns.emplace_back(entry.get<std::string>());
    } else if (IsIndex(entry)) {
      columns.emplace_back(entry.get<int64_t>());
    } else {
      return reader.AddError(
          key, absl::StrCat("must be names of columns or their indices, from ", -limits::kMaxExtent,
                            " to ", limits::kMaxExtent, ", is ", json->dump()));
    }
  }
  out.all = std::move(columns);
}

void ReadValue(JsonObjectReader& reader, std::string_view key, CategoricalColumns& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  out.automatic = json->is_string() && json->get<std::string>() == kAutomatic;
  out.all.clear();
  if (!out.automatic) ReadValue(reader, key, static_cast<Columns&>(out));
}

Json ToJson(const Columns& columns) {
  Json list = Json::array();
  for (const Column& column : columns.all) list.push_back(ToJson(column));
  return list;
}
Json ToJson(const CategoricalColumns& columns) {
  return columns.automatic ? Json(kAutomatic) : ToJson(static_cast<const Columns&>(columns));
}

void CheckValue(const nn::Field& field, const Columns& columns, nn::Mistakes& mistakes) {
  if (static_cast<int64_t>(columns.all.size()) > limits::kMaxCsvColumns) {
    mistakes.Add(absl::StrCat(std::string(field.what), " names ", columns.all.size(), " columns"),
                 absl::StrCat("Name at most ", limits::kMaxCsvColumns));
    return;
  }
  for (auto column = columns.all.begin(); column != columns.all.end(); ++column) {
    if (const auto* name = std::get_if<std::string>(&*column)) {
      nn::CheckValue(
          {.key = field.key, .what = field.what, .max = limits::kMaxPath, .meaning = field.meaning},
          *name, mistakes);
    } else {
      nn::CheckValue(field, std::get<int64_t>(*column), mistakes);
    }
    if (std::find(columns.all.begin(), column, *column) != column) {
      mistakes.Add(
          absl::StrCat(std::string(field.what), " names ", ToJson(*column).dump(), " twice"),
          "Name each column once");
      return;
    }
  }
}

void DescribeValue(const nn::Field& field, const Columns& columns, std::vector<nn::KeyRow>& rows) {
  rows.push_back(nn::RowOf(field, nn::KeyType::kColumns, ToJson(columns)));
}

bool AnyIsNamed(const Columns& columns) {
  return std::any_of(columns.all.begin(), columns.all.end(), [](const Column& column) {
    return std::holds_alternative<std::string>(column);
  });
}

}  // namespace dl::job

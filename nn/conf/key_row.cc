#include "nn/conf/key_row.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"

namespace dl::nn {
namespace {

// Merges into `row` the row of another type that has the same key.
void Join(KeyRow& row, const KeyRow& other) {
  DL_CHECK(row.type == other.type && row.unit == other.unit && row.choices == other.choices);
  DL_CHECK(row.meaning == other.meaning);  // one key, one meaning
  row.min = std::min(row.min, other.min);
  row.max = std::max(row.max, other.max);
  if (row.standard.empty()) row.standard = other.standard;
  if (!other.standard.empty() && row.standard != other.standard) row.standard = std::string("-");
}

bool IsText(KeyType type) {
  return type == KeyType::kString || type == KeyType::kStringList || type == KeyType::kStringOrList;
}

std::string ChoicesOf(const Field& field) {
  return absl::StrJoin(std::vector<std::string>(field.choices.begin(), field.choices.end()), "|");
}

bool IsNested(const KeyRow& row) { return row.path.find('.') != std::string::npos; }

}  // namespace

KeyRow RowOf(const Field& field, KeyType type, const Json& standard) {
  const bool required = field.presence == Field::Presence::kRequired;
  return {.path = std::string(field.key),
          .type = type,
          .standard = required ? "" : standard.dump(),
          .unit = field.unit,
          .min = IsText(type) ? 0 : field.min,
          .max = IsText(type) ? 0 : field.max,
          .choices = {},
          .only_for = {},
          .meaning = field.meaning};
}

void DescribeValue(const Field& field, double value, std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kNumber, value));
}
void DescribeValue(const Field& field, int64_t value, std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kInteger, value));
  rows.back().choices = ChoicesOf(field);
}
void DescribeValue(const Field& field, uint64_t value, std::vector<KeyRow>& rows) {
  KeyRow row = RowOf(field, KeyType::kInteger, value);
  row.max = static_cast<double>(std::numeric_limits<uint64_t>::max());
  rows.push_back(std::move(row));
}
void DescribeValue(const Field& field, bool value, std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kBool, value));
}
void DescribeValue(const Field& field, const std::string& value, std::vector<KeyRow>& rows) {
  KeyRow row = RowOf(field, field.choices.empty() ? KeyType::kString : KeyType::kChoice, value);
  row.choices = ChoicesOf(field);
  rows.push_back(std::move(row));
}
void DescribeValue(const Field& field, const std::vector<std::string>& value,
                   std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kStringList, value));
}
void DescribeValue(const Field& field, const std::vector<int64_t>& value,
                   std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kIntegerList, value));
}
void DescribeValue(const Field& field, const std::vector<double>& value,
                   std::vector<KeyRow>& rows) {
  rows.push_back(RowOf(field, KeyType::kNumberList, value));
}

void AppendMerged(const std::string& prefix, std::span<const TypeRows> types,
                  std::vector<KeyRow>& rows) {
  struct Merged {
    KeyRow row;
    std::vector<std::string> tags;  // of the types that have the key
  };
  std::vector<Merged> merged;
  const auto find = [&](const std::string& path) {
    return std::find_if(merged.begin(), merged.end(),
                        [&](const Merged& one) { return one.row.path == path; });
  };
  for (const TypeRows& type : types) {
    auto next = merged.end();
    // Last first: each key is inserted before its successor.
    for (size_t i = type.rows.size(); i-- > 0;) {
      const KeyRow& row = type.rows[i];
      auto place = find(row.path);
      if (place == merged.end()) {
        place = merged.insert(next, {row, {}});
      } else {
        Join(place->row, row);
      }
      place->tags.emplace_back(type.tag);
      next = place;
    }
  }
  for (Merged& one : merged) {
    if (!IsNested(one.row) && one.tags.size() < types.size()) {
      one.row.only_for = absl::StrJoin(one.tags, "|");
    }
    one.row.path = absl::StrCat(prefix, one.row.path);
    rows.push_back(std::move(one.row));
  }
}

void AppendObject(KeyRow object, std::string_view type_meaning, std::span<const TypeRows> types,
                  std::vector<KeyRow>& rows) {
  const std::string prefix = absl::StrCat(object.path, ".");
  std::vector<std::string> tags;
  for (const TypeRows& type : types) tags.emplace_back(type.tag);
  rows.push_back(std::move(object));
  rows.push_back({.path = prefix + "type",
                  .type = KeyType::kChoice,
                  .choices = absl::StrJoin(tags, "|"),
                  .meaning = type_meaning});
  AppendMerged(prefix, types, rows);
}

}  // namespace dl::nn

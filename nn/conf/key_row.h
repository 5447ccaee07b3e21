// The keys of a config as rows, for the table of a job spec's keys (job/keys.h): made from the very
// fields that are read and checked, so that a row cannot say anything else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/conf/field.h"

namespace dl::nn {

enum class KeyType : uint8_t {
  kInteger,
  kNumber,
  kBool,
  kString,
  kChoice,  // a string out of `choices`
  kStringOrInteger,
  kStringOrList,  // a string, or a list of them
  kIntegerList,
  kNumberList,
  kStringList,
  kObject,      // its own keys follow
  kObjectList,  // their keys follow, with [] for the index
  kColumns,     // names of columns or their indices, or one of them alone
};

struct KeyRow {
  std::string path;  // from the config that has the key: "learning_rate.initial"
  KeyType type;
  std::string standard;  // the default as JSON; "" = required; "-" = depends on the type
  std::string_view unit;
  double min = 0, max = 0;  // of numbers; equal: no range
  std::string choices;      // "a|b|c"
  std::string only_for;     // types of the enclosing object that have the key: "conv2d|dense"
  std::string_view meaning;
};

// The keys that one type of a config has.
struct TypeRows {
  std::string_view tag;
  std::vector<KeyRow> rows;
};

// A field's own row. Of texts it has no range: their size is no key's.
KeyRow RowOf(const Field& field, KeyType type, const Json& standard);

// Appends the rows of `types`, each key once, under `prefix` ("model.layers[]."). One that no
// type before had stands in front of the type's next key, or at the end. Ranges are joined;
// defaults that differ are "-".
void AppendMerged(const std::string& prefix, std::span<const TypeRows> types,
                  std::vector<KeyRow>& rows);

// Appends an object with a "type": its own row, that of "type", and those of its types.
void AppendObject(KeyRow object, std::string_view type_meaning, std::span<const TypeRows> types,
                  std::vector<KeyRow>& rows);

// Rows of plain members; an optional one is null unless it is stated.
void DescribeValue(const Field& field, double value, std::vector<KeyRow>& rows);
void DescribeValue(const Field& field, int64_t value, std::vector<KeyRow>& rows);
void DescribeValue(const Field& field, bool value, std::vector<KeyRow>& rows);
void DescribeValue(const Field& field, const std::string& value, std::vector<KeyRow>& rows);
void DescribeValue(const Field& field, const std::vector<std::string>& value,
                   std::vector<KeyRow>& rows);
void DescribeValue(const Field& field, const std::vector<int64_t>& value,
                   std::vector<KeyRow>& rows);
void DescribeValue(const Field& field, const std::vector<double>& value, std::vector<KeyRow>& rows);
template <typename T>
void DescribeValue(const Field& field, const std::optional<T>& value, std::vector<KeyRow>& rows) {
  const size_t own = rows.size();
  DescribeValue(field, value.value_or(T()), rows);
  rows[own].standard = ToJson(value).dump();
}

}  // namespace dl::nn

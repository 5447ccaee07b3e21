// The keys of a config as rows of the table of keys of a job spec (job/job_keys.h). Rows of a
// config's fields are made from the fields that are also read and checked, so that they cannot
// differ. A few other rows, such as that of a document's version, are written by hand.
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
  kChoice,  // one of `choices`
  kStringOrInteger,
  kStringOrList,  // a string or a list of strings
  kIntegerList,
  kNumberList,
  kStringList,
  kObject,      // the rows of its keys follow
  kObjectList,  // the rows of the keys of an entry follow, with [] for the index
  kColumns,     // a column name or index, or a list of these
};

struct KeyRow {
  std::string path;  // relative to the config that has the key: "learning_rate.initial"
  KeyType type;
  std::string standard;  // the default as JSON; "" means required, "-" that it depends on the type
  std::string_view unit;
  double min = 0, max = 0;  // for numbers; equal values mean no range
  std::string choices;      // "a|b|c"
  // Types of the enclosing object that have the key: "conv2d|dense". Empty: all types.
  std::string only_for;
  std::string_view meaning;
};

// The keys of one type of a config.
struct TypeRows {
  std::string_view tag;
  std::vector<KeyRow> rows;
};

// Returns a field's own row. The row of a text has no range, because the range of its field limits
// its length.
KeyRow RowOf(const Field& field, KeyType type, const Json& standard);

// Appends the rows of `types` with the prefix `prefix` ("model.layers[]."), each key once. A key
// that no earlier type has is inserted before the type's next key, or at the end. Ranges are
// joined. Defaults that differ become "-". REQUIRES: types that share a key give it the same type,
// unit, choices and meaning.
void AppendMerged(const std::string& prefix, std::span<const TypeRows> types,
                  std::vector<KeyRow>& rows);

// Appends an object with a "type": its own row, the row of "type", and the rows of its types.
void AppendObject(KeyRow object, std::string_view type_meaning, std::span<const TypeRows> types,
                  std::vector<KeyRow>& rows);

// Append the row of a member. The default of an optional member is null unless it has a value.
void DescribeValue(const Field& field, double value, std::vector<KeyRow>& rows);
void DescribeValue(const Field& field, int64_t value, std::vector<KeyRow>& rows);
void DescribeValue(const Field& field, uint64_t value, std::vector<KeyRow>& rows);
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

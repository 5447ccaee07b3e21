// Lists of columns of a table, as a user names them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "job/sources/labels.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// Columns in the given order. In JSON a list of names and indices; a single column may be written
// without the list.
struct Columns {
  std::vector<Column> all;

  Columns() = default;
  Columns(std::initializer_list<Column> columns) : all(columns) {}
  bool operator==(const Columns&) const = default;
};

// Columns, or "auto": the columns whose first value that is not missing is not a number. The import
// fails if most values of such a column are numbers that are unlikely to be categories (ColumnFit).
struct CategoricalColumns : Columns {
  bool automatic = false;  // "auto"; `all` is then empty

  using Columns::Columns;
  bool operator==(const CategoricalColumns&) const = default;
};

// Functions that nn/conf/field.h requires for a member type.
void ReadValue(JsonObjectReader& reader, std::string_view key, Columns& out);
void ReadValue(JsonObjectReader& reader, std::string_view key, CategoricalColumns& out);
Json ToJson(const Columns& columns);
Json ToJson(const CategoricalColumns& columns);
void CheckValue(const nn::Field& field, const Columns& columns, nn::Mistakes& mistakes);
void DescribeValue(const nn::Field& field, const Columns& columns, std::vector<nn::KeyRow>& rows);

constexpr nn::Field ColumnsField(std::string_view key, std::string_view meaning) {
  return {.key = key,
          .what = key,
          .min = -limits::kMaxExtent,
          .max = limits::kMaxExtent,
          .meaning = meaning};
}

// Returns whether a column is given by name, which requires a header.
bool AnyIsNamed(const Columns& columns);

}  // namespace dl::job

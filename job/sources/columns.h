// Several columns of a table, as a user names them.
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

// In their order. In JSON a list of names and indices; one alone may stand there without its list.
struct Columns {
  std::vector<Column> all;

  Columns() = default;
  Columns(std::initializer_list<Column> columns) : all(columns) {}
  bool operator==(const Columns&) const = default;
};

// The same, or "auto": those whose first value is no number.
struct CategoricalColumns : Columns {
  bool automatic = false;

  using Columns::Columns;
  bool operator==(const CategoricalColumns&) const = default;
};

// What nn/conf/field.h asks of a member's type.
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

// Whether one of them is a name, which only a header knows.
bool AnyIsNamed(const Columns& columns);

}  // namespace dl::job

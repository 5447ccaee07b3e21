// A row of values of one round. It is stored with the commit of the round, or with its evaluation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::storage {

struct RoundRow {
  struct Value {
    int32_t series = 0;  // index in SeriesColumns
    float value = 0;

    bool operator==(const Value&) const = default;
  };

  int64_t round = 0;          // from 1
  bool is_addition = false;   // adds values to the row before, which has the same round
  std::vector<Value> values;  // ascending by series

  bool operator==(const RoundRow&) const = default;
};

// Returns the row as bytes, in the form of docs/formats.md, "Series".
std::string EncodeRow(const RoundRow& row);
// Returns DataLoss if `bytes` does not have the form that EncodeRow writes.
StatusOr<RoundRow> DecodeRow(std::string_view bytes);

}  // namespace dl::storage

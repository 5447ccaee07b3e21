// Holds distinct decimals of a column with few digits, one bit each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/readers/table/short_decimals.h"

namespace dl::dataset {

// Holds decimals with at most as many digits after the point as the first ones, in a range around
// the first ones. Not thread-safe.
class DecimalSet {
 public:
  // Needs `bits` / 8 bytes from the first decimal on. REQUIRES: `bits` is a multiple of 64, and
  // less than 2^32.
  explicit DecimalSet(size_t bits) : bits_(bits) {}

  // Adds the entries from `begin` to `end`, which must be parsed, and returns true. If the set
  // cannot hold one of them, adds none and returns false.
  bool Add(const ShortDecimals& numbers, size_t begin, size_t end);
  // Returns the distinct decimals as the nearest doubles, and empties the set.
  std::vector<double> Take();

 private:
  void Begin(const ShortDecimals& numbers, size_t begin, size_t end);

  size_t bits_;
  uint64_t places_ = 0;          // digits after the point of all decimals
  int64_t least_ = 0;            // the decimal of the first bit is least_ / 10^places_
  std::vector<uint64_t> words_;  // empty before the first decimal
  bool is_empty_ = true;
};

}  // namespace dl::dataset

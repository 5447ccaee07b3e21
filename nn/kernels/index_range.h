// The part of an array, of rows or of columns that a call computes.
#pragma once

#include <cstdint>

namespace dl::nn {

struct IndexRange {
  int64_t begin = 0, end = 0;  // end is exclusive

  int64_t size() const { return end - begin; }
};

}  // namespace dl::nn

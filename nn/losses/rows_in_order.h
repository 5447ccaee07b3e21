// Computes a result for each row of outputs on the threads of the caller's ComputeScope, and adds
// the results in the order of the rows. A sum then has the same bits with any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "nn/backend/parallel_for.h"

namespace dl::nn {

// Calls add(row, compute(row)) for the rows 0 to rows - 1. `add` is called in this order, on the
// calling thread. `compute` is called on several threads at the same time. `floats` is the number
// of values of a row, from which the work of a row is estimated. Allocates nothing.
template <typename Compute, typename Add>
void RowsInOrder(int64_t rows, int64_t floats, const Compute& compute, const Add& add) {
  constexpr int64_t kAtOnce = 1024;
  std::array<decltype(compute(int64_t{0})), kAtOnce> results;
  for (int64_t first = 0; first < rows; first += kAtOnce) {
    const int64_t count = std::min(kAtOnce, rows - first);
    ForRows(count, floats, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) results[r] = compute(first + r);
    });
    for (int64_t r = 0; r < count; ++r) add(first + r, results[r]);
  }
}

}  // namespace dl::nn

#include "nn/sum_of_squares.h"

#include <algorithm>
#include <array>

#include "nn/backend/parallel_for.h"
#include "nn/kernels/lanes.h"
#include "nn/kernels/row_kernels.h"

namespace dl::nn {

// SumOfSquares adds the sums of chunks in ascending order. Here several threads compute the sums of
// the chunks, and this thread adds them in the same order.
double ParallelSumOfSquares(std::span<const float> values, float bound) {
  constexpr int64_t kAtOnce = 1024;
  std::array<double, kAtOnce> sums;
  const auto size = static_cast<int64_t>(values.size());
  double total = 0;
  for (int64_t first = 0; first < size; first += kAtOnce * kChunk) {
    const int64_t chunks = std::min(kAtOnce, (size - first + kChunk - 1) / kChunk);
    ForRows(chunks, kChunk, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = first + i * kChunk;
        sums[i] = SumOfSquares(values.data() + at, std::min(kChunk, size - at), bound);
      }
    });
    for (int64_t i = 0; i < chunks; ++i) total += sums[i];
  }
  return total;
}

}  // namespace dl::nn

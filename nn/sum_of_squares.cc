#include "nn/sum_of_squares.h"

#include <algorithm>

#include "nn/backend/parallel_for.h"
#include "nn/kernels/row_kernels.h"

namespace dl::nn {

void SumOfSquaresInPieces::Add(std::span<const float> values) {
  if (begun_count_ > 0) {
    const int64_t taken = std::min(static_cast<int64_t>(values.size()), kChunk - begun_count_);
    std::copy_n(values.data(), taken, begun_.data() + begun_count_);
    begun_count_ += taken;
    if (begun_count_ < kChunk) return;
    total_ += SumOfSquares(begun_.data(), kChunk, bound_);
    begun_count_ = 0;
    values = values.subspan(taken);
  }
  const int64_t chunks = static_cast<int64_t>(values.size()) / kChunk;
  AddWholeChunks(values.data(), chunks);
  values = values.subspan(chunks * kChunk);
  std::ranges::copy(values, begun_.begin());
  begun_count_ = static_cast<int64_t>(values.size());
}

// SumOfSquares adds the sums of chunks in ascending order. Here several threads compute the sums of
// the chunks, and this thread adds them in the same order.
void SumOfSquaresInPieces::AddWholeChunks(const float* values, int64_t chunks) {
  constexpr int64_t kAtOnce = 1024;
  std::array<double, kAtOnce> sums;
  for (int64_t first = 0; first < chunks; first += kAtOnce) {
    const int64_t count = std::min(kAtOnce, chunks - first);
    ForRows(count, kChunk, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        sums[i] = SumOfSquares(values + (first + i) * kChunk, kChunk, bound_);
    });
    for (int64_t i = 0; i < count; ++i) total_ += sums[i];
  }
}

double SumOfSquaresInPieces::Total() const {
  return begun_count_ == 0 ? total_ : total_ + SumOfSquares(begun_.data(), begun_count_, bound_);
}

double ParallelSumOfSquares(std::span<const float> values, float bound) {
  SumOfSquaresInPieces sum(bound);
  sum.Add(values);
  return sum.Total();
}

}  // namespace dl::nn

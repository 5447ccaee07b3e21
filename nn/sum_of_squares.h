// The sum of squares of large arrays, for their norm. The threads of the caller's ComputeScope
// (nn/backend/compute_scope.h) share the work.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "nn/kernels/lanes.h"

namespace dl::nn {

// Adds up the squares of clamp(x, -bound, bound), in double, of an array that is given in pieces.
// The bits are those of SumOfSquares (nn/kernels/row_kernels.h) of the whole array, with any number
// of threads and however it is divided. Allocates nothing. Not thread-safe.
class SumOfSquaresInPieces {
 public:
  explicit SumOfSquaresInPieces(float bound) : bound_(bound) {}
  // Adds the next piece.
  void Add(std::span<const float> values);
  double Total() const;

 private:
  void AddWholeChunks(const float* values, int64_t chunks);

  const float bound_;
  double total_ = 0;
  std::array<float, kChunk> begun_;  // the first values of the chunk that is not complete
  int64_t begun_count_ = 0;
};

// Returns the sum of squares of an array that is one piece.
double ParallelSumOfSquares(std::span<const float> values, float bound);

}  // namespace dl::nn

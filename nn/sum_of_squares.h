// The norm of large arrays, computed on all threads of the job.
#pragma once

#include <span>

namespace dl::nn {

// Returns the sum of the squares of clamp(x, -bound, bound), in double. The bits are those of
// SumOfSquares (nn/kernels/row_kernels.h), with any number of threads. Allocates nothing.
double ParallelSumOfSquares(std::span<const float> values, float bound);

}  // namespace dl::nn

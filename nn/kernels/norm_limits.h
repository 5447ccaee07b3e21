// What weight constraints (nn/conf/weight_constraint.h) do to the rows of a plain [rows, n] matrix,
// in place. A row's L2 norm is added up as all are (SumOfSquares); each value is scaled by itself,
// in double.
#pragma once

#include <cstdint>

namespace dl::nn {

// w *= limit / |w| where |w| > limit.
void LimitRowNorms(float* w, int64_t rows, int64_t n, double limit);
// w /= |w|; a row of zeros stays.
void UnitRowNorms(float* w, int64_t rows, int64_t n);

}  // namespace dl::nn

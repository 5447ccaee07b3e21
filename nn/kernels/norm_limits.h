// Applies weight constraints (nn/conf/weight_constraint.h) to the rows of a plain matrix [rows, n],
// in place. A row's L2 norm is computed by SumOfSquares. Values are scaled in double.
#pragma once

#include <cstdint>

namespace dl::nn {

// w *= limit / |w| if |w| > limit.
void LimitRowNorms(float* w, int64_t rows, int64_t n, double limit);
// w /= |w|. A row of zeros stays zero.
void UnitRowNorms(float* w, int64_t rows, int64_t n);

}  // namespace dl::nn

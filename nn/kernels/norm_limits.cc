#include "nn/kernels/norm_limits.h"

#include <limits>

#include "base/portable_math.h"
#include "nn/kernels/clones.h"
#include "nn/kernels/row_kernels.h"

namespace dl::nn {
namespace {

DL_ALWAYS_INLINE double NormOfRow(const float* w, int64_t n) {
  return portable::Sqrt(SumOfSquares(w, n, std::numeric_limits<float>::infinity()));
}

DL_ALWAYS_INLINE void ScaleRow(float* w, int64_t n, double factor) {
  for (int64_t i = 0; i < n; ++i) w[i] = static_cast<float>(static_cast<double>(w[i]) * factor);
}

}  // namespace

DL_ISA_CLONES void LimitRowNorms(float* w, int64_t rows, int64_t n, double limit) {
  for (int64_t r = 0; r < rows; ++r, w += n) {
    const double norm = NormOfRow(w, n);
    if (norm > limit) ScaleRow(w, n, limit / norm);
  }
}

DL_ISA_CLONES void UnitRowNorms(float* w, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r, w += n) {
    const double norm = NormOfRow(w, n);
    if (norm > 0) ScaleRow(w, n, 1.0 / norm);
  }
}

}  // namespace dl::nn

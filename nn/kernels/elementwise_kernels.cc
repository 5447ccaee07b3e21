#include "nn/kernels/elementwise_kernels.h"

#include "nn/kernels/clones.h"

namespace dl::nn {

DL_ISA_CLONES void ProductOf(const float* a, const float* b, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] * b[i];
}

DL_ISA_CLONES void ScaledSumOf(const float* a, const float* b, float factor, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = factor * (a[i] + b[i]);
}

DL_ISA_CLONES void ScaledAndShifted(const float* x, float factor, float shift, float* y,
                                    int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = factor * x[i] + shift;
}

DL_ISA_CLONES void ScaledBy(const float* x, float factor, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = factor * x[i];
}

DL_ISA_CLONES void MaximumWith(const float* x, int32_t number, float* y, int32_t* of, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const bool larger = x[i] > y[i] || x[i] != x[i];
    y[i] = larger ? x[i] : y[i];
    of[i] = larger ? number : of[i];
  }
}

DL_ISA_CLONES void GradientOfMaximum(const float* dy, const int32_t* of, int32_t number, float* dx,
                                     int64_t n) {
  for (int64_t i = 0; i < n; ++i) dx[i] = of[i] == number ? dy[i] : 0;
}

}  // namespace dl::nn

#include "nn/kernels/pairs.h"

#include "nn/kernels/clones.h"

namespace dl::nn {

DL_ISA_CLONES void MeanOf(const float* a, const float* b, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = 0.5f * (a[i] + b[i]);
}

DL_ISA_CLONES void ProductOf(const float* a, const float* b, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] * b[i];
}

DL_ISA_CLONES void HalfOf(const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = 0.5f * x[i];
}

}  // namespace dl::nn

#include "nn/kernels/planes.h"

#include <algorithm>

namespace dl::nn {

void SurroundByZeros(const FrameShape& s, const float* inner, float* outer) {
  std::fill_n(outer, s.planes * s.height * s.width, 0.0f);
  for (int64_t p = 0; p < s.planes; ++p) {
    float* row = outer + (p * s.height + s.top) * s.width + s.left;
    for (int64_t i = 0; i < s.inner_height; ++i, inner += s.inner_width, row += s.width)
      std::copy_n(inner, s.inner_width, row);
  }
}

void TakeMiddle(const FrameShape& s, const float* outer, float* inner) {
  for (int64_t p = 0; p < s.planes; ++p) {
    const float* row = outer + (p * s.height + s.top) * s.width + s.left;
    for (int64_t i = 0; i < s.inner_height; ++i, inner += s.inner_width, row += s.width)
      std::copy_n(row, s.inner_width, inner);
  }
}

void RepeatPixels(const BlockShape& s, const float* x, float* y) {
  const int64_t width = s.width * s.columns;
  for (int64_t i = 0; i < s.planes * s.height; ++i, x += s.width) {
    float* const first = y;
    for (int64_t j = 0; j < s.width; ++j, y += s.columns) std::fill_n(y, s.columns, x[j]);
    for (int64_t k = 1; k < s.rows; ++k, y += width) std::copy_n(first, width, y);
  }
}

void SumBlocks(const BlockShape& s, const float* y, float* x) {
  std::fill_n(x, s.planes * s.height * s.width, 0.0f);
  for (int64_t i = 0; i < s.planes * s.height; ++i, x += s.width) {
    for (int64_t k = 0; k < s.rows; ++k) {
      for (int64_t j = 0; j < s.width; ++j, y += s.columns) {
        for (int64_t l = 0; l < s.columns; ++l) x[j] += y[l];
      }
    }
  }
}

}  // namespace dl::nn

#include "nn/kernels/product/panels.h"

#include <immintrin.h>

#include <algorithm>

#include "nn/kernels/clones.h"
#include "nn/kernels/isa_target.h"

namespace dl::nn {
namespace {

// Copies `count` rows of `width` values.
DL_ISA_CLONES void CopyRows(const float* from, int64_t stride, int64_t count, int64_t width,
                            int64_t panel_width, float* panel) {
  for (int64_t k = 0; k < count; ++k, from += stride, panel += panel_width) {
    for (int64_t j = 0; j < width; ++j) panel[j] = from[j];
    for (int64_t j = width; j < panel_width; ++j) panel[j] = 0.0f;
  }
}

// Copies a square of `lanes` rows without gaps to rows at the distance `step`.
DL_ISA_CLONES void CopySquare(const float* from, int lanes, int64_t step, float* to) {
  for (int64_t k = 0; k < lanes; ++k, from += lanes, to += step) {
    for (int64_t j = 0; j < lanes; ++j) to[j] = from[j];
  }
}

constexpr int64_t kSquare = 8;

DL_TARGET_AVX2

// Copies 8 x 8 values, rows as columns.
inline void TransposeSquare(const float* from, int64_t stride, float* to, int64_t to_stride) {
  __m256 row[8], pair[8], four[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) row[i] = _mm256_loadu_ps(from + i * stride);
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
    pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    four[i] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0x44);
    four[i + 1] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0xEE);
    four[i + 2] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0x44);
    four[i + 3] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0xEE);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * to_stride, _mm256_permute2f128_ps(four[i], four[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * to_stride, _mm256_permute2f128_ps(four[i], four[i + 4], 0x31));
  }
}

// Copies `width` rows of `count` values as columns.
void CopyTransposed(const float* from, int64_t stride, int64_t count, int64_t width,
                    int64_t panel_width, float* panel) {
  int64_t j = 0;
  for (; j + kSquare <= width; j += kSquare) {
    const float* const rows = from + j * stride;
    int64_t k = 0;
    for (; k + kSquare <= count; k += kSquare)
      TransposeSquare(rows + k, stride, panel + k * panel_width + j, panel_width);
    for (; k < count; ++k)
      for (int64_t r = 0; r < kSquare; ++r) panel[k * panel_width + j + r] = rows[r * stride + k];
  }
  for (; j < width; ++j)
    for (int64_t k = 0; k < count; ++k) panel[k * panel_width + j] = from[j * stride + k];
  for (; j < panel_width; ++j)
    for (int64_t k = 0; k < count; ++k) panel[k * panel_width + j] = 0.0f;
}

// Copies a square of `lanes` rows without gaps as columns, to rows at the distance `step`.
void TransposeSquares(const float* from, int lanes, int64_t step, float* to) {
  for (int64_t j = 0; j < lanes; j += kSquare)
    for (int64_t k = 0; k < lanes; k += kSquare)
      TransposeSquare(from + j * lanes + k, lanes, to + k * step + j, step);
}

DL_TARGET_END

void PackSquares(const PanelSource& source, IndexRange range, const PanelColumns& columns,
                 int lanes, float* panel) {
  const int64_t width = int64_t{columns.vectors} * lanes, square = int64_t{lanes} * lanes;
  const bool is_along = source.order == PanelSource::Order::kSquaresAlong;
  const int64_t inner_blocks = source.inner / lanes, column_blocks = source.columns / lanes;
  for (int64_t k = range.begin; k < range.end; k += lanes, panel += lanes * width) {
    const int64_t tap = k / source.inner, c = k % source.inner / lanes;
    for (int64_t v = 0; v < columns.vectors; ++v) {
      const int64_t j = columns.first / lanes + v;
      const int64_t block = is_along ? c * column_blocks + j : j * inner_blocks + c;
      const float* const from = source.data + (block * source.taps + tap) * square;
      float* const to = panel + v * lanes;
      if (is_along) {
        TransposeSquares(from, lanes, width, to);
      } else {
        CopySquare(from, lanes, width, to);
      }
    }
  }
}

}  // namespace

std::vector<PanelColumns> PanelsOf(int64_t columns, int lanes) {
  constexpr int64_t kMostVectors = 3;
  std::vector<PanelColumns> panels;
  for (int64_t first = 0; first < columns;) {
    const int64_t left = (columns - first + lanes - 1) / lanes;
    const int64_t vectors = left == kMostVectors + 1 ? 2 : std::min(left, kMostVectors);
    const int64_t count = std::min(columns - first, vectors * lanes);
    panels.push_back({.first = first, .count = count, .vectors = static_cast<int>(vectors)});
    first += count;
  }
  return panels;
}

void PackPanel(const PanelSource& source, IndexRange range, const PanelColumns& columns, int lanes,
               float* panel) {
  const int64_t width = int64_t{columns.vectors} * lanes;
  if (source.order == PanelSource::Order::kSquaresAcross ||
      source.order == PanelSource::Order::kSquaresAlong)
    return PackSquares(source, range, columns, lanes, panel);
  if (source.order == PanelSource::Order::kAcross) {
    CopyRows(source.data + range.begin * source.stride + columns.first, source.stride, range.size(),
             columns.count, width, panel);
    return;
  }
  while (range.begin < range.end) {
    const int64_t tap = range.begin / source.inner, c = range.begin % source.inner;
    const int64_t count = std::min(range.size(), source.inner - c);
    CopyTransposed(source.data + (tap * source.columns + columns.first) * source.stride + c,
                   source.stride, count, columns.count, width, panel);
    panel += count * width;
    range.begin += count;
  }
}

}  // namespace dl::nn

// Conversion between float32 and bf16, which is the upper half of a float32. The bits do not depend
// on alignment, length or instruction set.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

// Rounds to nearest, ties to even. Values beyond the largest bf16 become infinite. NaN stays NaN,
// with the quiet bit set. Subnormal values are rounded like others. The ranges must not overlap.
void RoundToBf16(const float* from, uint16_t* to, int64_t n);
// Exact. The ranges must not overlap.
void WidenBf16(const uint16_t* from, float* to, int64_t n);
// sum += term, elementwise: adds in float32 and rounds the sum.
void AddToBf16(uint16_t* sum, const uint16_t* term, int64_t n);

// Weights of a product in memory: groups of rows with `block` values each. In the bf16 copy that
// AMX and avx512_bf16 multiply, the two rows of a pair are interleaved, and more rows of zeros may
// follow those of a group.
struct RowPairs {
  int64_t block = 0;
  int64_t in_group = 0;          // pairs of rows of a group
  int64_t in_group_of_copy = 0;  // the same in the copy; at least as many
};
// Rounds a range of the values in `from`, which begins and ends at multiples of a pair of rows, to
// their places in the copy `to`. An element of the copy is a pair of values, the first row's in its
// lower half. REQUIRES: the ranges do not overlap.
void RoundRowPairsToBf16(const float* from, const RowPairs& pairs, IndexRange range, uint32_t* to);

// Largest number of values that InFloat32 converts at once.
inline constexpr int64_t kBf16Piece = 1024;
// Runs an elementwise function of float32 over bf16 values, in pieces that fit the first-level
// cache: body(first, piece, n) changes the n values of `piece` in place. They are the widened
// values x[first], ...; afterwards they are rounded to x.
template <typename Body>
void InFloat32(uint16_t* x, int64_t n, Body body) {
  alignas(64) float piece[kBf16Piece];
  for (int64_t first = 0; first < n; first += kBf16Piece) {
    const int64_t size = std::min(kBf16Piece, n - first);
    WidenBf16(x + first, piece, size);
    body(first, piece, size);
    RoundToBf16(piece, x + first, size);
  }
}

}  // namespace dl::nn

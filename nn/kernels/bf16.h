// Conversion between float32 and bf16, which is the upper half of a float32. The bits do not depend
// on alignment, length or instruction set.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dl::nn {

// Rounds to nearest, ties to even. Values beyond the largest bf16 become infinite. NaN stays NaN,
// with the quiet bit set. Subnormal values are rounded like others. The ranges must not overlap.
void RoundToBf16(const float* from, uint16_t* to, int64_t n);
// Does the same for ranges that overlap. REQUIRES: `to` does not begin after `from`.
void RoundOverlappingToBf16(const float* from, uint16_t* to, int64_t n);
// Exact. The ranges must not overlap.
void WidenBf16(const uint16_t* from, float* to, int64_t n);
// sum += term, elementwise: adds in float32 and rounds the sum.
void AddToBf16(uint16_t* sum, const uint16_t* term, int64_t n);

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

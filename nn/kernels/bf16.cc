#include "nn/kernels/bf16.h"

#include <algorithm>
#include <bit>

#include "nn/kernels/clones.h"

namespace dl::nn {
namespace {

DL_ALWAYS_INLINE uint16_t Rounded(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const uint32_t quiet = (bits >> 16) | 0x40;
  return static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded);
}

DL_ALWAYS_INLINE float Widened(uint16_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value) << 16);
}

}  // namespace

DL_ISA_CLONES void RoundToBf16(const float* from, uint16_t* to, int64_t n) {
  DL_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) to[i] = Rounded(from[i]);
}

void RoundOverlappingToBf16(const float* from, uint16_t* to, int64_t n) {
  uint16_t piece[kBf16Piece];
  for (int64_t first = 0; first < n; first += kBf16Piece) {
    const int64_t size = std::min(kBf16Piece, n - first);
    RoundToBf16(from + first, piece, size);
    std::copy_n(piece, size, to + first);
  }
}

DL_ISA_CLONES void WidenBf16(const uint16_t* from, float* to, int64_t n) {
  DL_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) to[i] = Widened(from[i]);
}

DL_ISA_CLONES void AddToBf16(uint16_t* sum, const uint16_t* term, int64_t n) {
  DL_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) sum[i] = Rounded(Widened(sum[i]) + Widened(term[i]));
}

}  // namespace dl::nn

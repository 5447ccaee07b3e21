#include "nn/kernels/bf16.h"

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

DL_ISA_CLONES static void RoundRowPair(const float* from, int64_t block, uint32_t* to) {
  DL_INDEPENDENT
  for (int64_t i = 0; i < block; ++i)
    to[i] = Rounded(from[i]) | static_cast<uint32_t>(Rounded(from[block + i])) << 16;
}

void RoundRowPairsToBf16(const float* from, const RowPairs& pairs, IndexRange range, uint32_t* to) {
  const int64_t values = 2 * pairs.block;
  for (int64_t pair = range.begin / values; pair < range.end / values; ++pair) {
    const int64_t place = pair / pairs.in_group * pairs.in_group_of_copy + pair % pairs.in_group;
    RoundRowPair(from + pair * values, pairs.block, to + place * pairs.block);
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

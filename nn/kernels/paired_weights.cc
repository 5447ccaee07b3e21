#include "nn/kernels/paired_weights.h"

#include <immintrin.h>

#include <algorithm>

#include "nn/kernels/clones.h"
#include "nn/kernels/isa_target.h"

DL_TARGET_AVX512
namespace dl::nn {
namespace {

constexpr int kSide = PairedWeights::kSide;
constexpr int kPairs = kSide / 2;

// Returns 16 values as bf16 in the lower halves of the elements (Rounded in nn/kernels/bf16.cc).
DL_ALWAYS_INLINE __m512i RoundedRow(const float* from) {
  const __m512i bits = _mm512_castps_si512(_mm512_loadu_ps(from));
  const __m512i upper = _mm512_srli_epi32(bits, 16);
  const __m512i odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
  const __m512i sum = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff));
  const __mmask16 is_nan = _mm512_cmpgt_epi32_mask(magnitude, _mm512_set1_epi32(0x7f800000));
  return _mm512_mask_or_epi32(_mm512_srli_epi32(sum, 16), is_nan, upper, _mm512_set1_epi32(0x40));
}

// Writes the pairs of rows 2 i and 2 i + 1 of a matrix of 16 rows to line i.
DL_ALWAYS_INLINE void PairRows(const float* from, int64_t stride, uint32_t* to, int64_t line) {
  for (int i = 0; i < kPairs; ++i) {
    const __m512i first = RoundedRow(from + 2 * i * stride);
    const __m512i second = RoundedRow(from + (2 * i + 1) * stride);
    _mm512_store_si512(to + i * line, _mm512_or_si512(first, _mm512_slli_epi32(second, 16)));
  }
}

// Returns two rows as 8 pairs of neighbours each.
DL_ALWAYS_INLINE __m512i TwoRows(const float* first, const float* second) {
  const __m256i low = _mm512_cvtepi32_epi16(RoundedRow(first));
  const __m256i high = _mm512_cvtepi32_epi16(RoundedRow(second));
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// Writes the pairs of columns 2 i and 2 i + 1 of a matrix of 16 rows to line i: transposes pairs.
DL_ALWAYS_INLINE void PairColumns(const float* from, int64_t stride, uint32_t* to, int64_t line) {
  constexpr int kQuarter = kSide / 4;
  __m512i t[kPairs];
  for (int half = 0; half < 2; ++half) {
    // Rows 8 half + i in the lower half of r[i], and the rows 4 below in the upper half.
    __m512i r[kQuarter], u[kQuarter];
    for (int i = 0; i < kQuarter; ++i) {
      const float* const row = from + (kPairs * half + i) * stride;
      r[i] = TwoRows(row, row + kQuarter * stride);
    }
    for (int i = 0; i < kQuarter; i += 2) {
      u[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
      u[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    __m512i* const quarters = t + kQuarter * half;
    quarters[0] = _mm512_unpacklo_epi64(u[0], u[2]);
    quarters[1] = _mm512_unpackhi_epi64(u[0], u[2]);
    quarters[2] = _mm512_unpacklo_epi64(u[1], u[3]);
    quarters[3] = _mm512_unpackhi_epi64(u[1], u[3]);
  }
  constexpr int kEven = 0x88, kOdd = 0xdd;  // quarters of both operands
  for (int i = 0; i < kQuarter; ++i) {
    _mm512_store_si512(to + i * line, _mm512_shuffle_i32x4(t[i], t[kQuarter + i], kEven));
    _mm512_store_si512(to + (kQuarter + i) * line,
                       _mm512_shuffle_i32x4(t[i], t[kQuarter + i], kOdd));
  }
}

}  // namespace

void PairedWeights::Round(const float* from, IndexRange range, uint32_t* to) const {
  const int64_t tiles = width / kSide;  // of 16 x 16 values, side by side in a unit
  const bool of_inputs = pairs == Pairs::kOfInputs;
  const int64_t line = kSide * (of_inputs ? copy_outputs : copy_inputs);
  const int64_t output_place = of_inputs ? kSide : kPairs * line;
  const int64_t input_place = of_inputs ? kPairs * line : kSide;
  const int64_t end = range.end / UnitValues();
  for (int64_t unit = range.begin / UnitValues(); unit < end;) {
    const int64_t first_tap = unit % taps, block = unit / taps;
    const int64_t input = block % input_blocks, outputs = block / input_blocks;
    uint32_t* const place = to + outputs / output_blocks * group_step +
                            input / copy_inputs * input_step + input % copy_inputs * input_place;
    const int64_t first_output = outputs % output_blocks * tiles;
    const int64_t last_tap = std::min(taps, first_tap + end - unit);
    for (int64_t tap = first_tap; tap < last_tap; ++tap, ++unit) {
      for (int64_t tile = 0; tile < tiles; ++tile) {
        const float* const values = from + unit * UnitValues() + tile * kSide;
        const int64_t output = first_output + tile;
        uint32_t* const lines = place + output / copy_outputs * output_step +
                                output % copy_outputs * output_place + tap * tap_step;
        if (of_inputs) {
          PairRows(values, width, lines, line);
        } else {
          PairColumns(values, width, lines, line);
        }
      }
    }
  }
}

}  // namespace dl::nn
DL_TARGET_END

#include "base/random_fill.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/isa_clones.h"
#include "base/philox_lanes.h"
#include "base/portable_math.h"
#include "base/portable_series.h"

namespace dl {
namespace {

// A block of four words gives two numbers.
using Words = uint32_t[4][kPhiloxLanes];
using Numbers = std::array<double, 2 * kPhiloxLanes>;

// Returns x. REQUIRES: x < 2^52. AVX2 converts no unsigned integers.
DL_ALWAYS_INLINE double Exact(uint64_t x) {
  return std::bit_cast<double>(x | 0x4330000000000000ULL) - 0x1.0p52;
}

// The number that NextDouble() makes of two words: their upper 53 bits times 2^-53.
DL_ALWAYS_INLINE double UnitNumber(uint32_t low, uint32_t high) {
  return (Exact(high) * 0x1.0p21 + Exact(low >> 11)) * 0x1.0p-53;
}

DL_ISA_CLONES void UniformNumbers(const RandomStream& stream, uint64_t first_block, double* out) {
  Words words;
  PhiloxBlocks(stream, first_block, words);
  for (int i = 0; i < kPhiloxLanes; ++i) {
    out[2 * i] = UnitNumber(words[0][i], words[1][i]);
    out[2 * i + 1] = UnitNumber(words[2][i], words[3][i]);
  }
}

// Box-Muller, as in NextNormal(). Sine and cosine need the same two series.
DL_ISA_CLONES void NormalNumbers(const RandomStream& stream, uint64_t first_block, double* out) {
  Words words;
  PhiloxBlocks(stream, first_block, words);
  double radius[kPhiloxLanes];
  for (int i = 0; i < kPhiloxLanes; ++i) {
    const double u = 1.0 - UnitNumber(words[0][i], words[1][i]);
    radius[i] = portable::Sqrt(-2.0 * portable::LogOfNormal(u));
  }
  for (int i = 0; i < kPhiloxLanes; ++i) {
    const double turns = UnitNumber(words[2][i], words[3][i]);
    const double sine_sign = turns > 0.5 ? -1.0 : 1.0;
    const double half = turns > 0.5 ? 1.0 - turns : turns;
    const double cosine_sign = half > 0.25 ? -1.0 : 1.0;
    const double quarter = half > 0.25 ? 0.5 - half : half;
    const bool is_near = quarter <= 0.125;
    const double f = is_near ? quarter : 0.25 - quarter;
    const double sine = portable::SinSeries(f), cosine = portable::CosSeries(f);
    out[2 * i] = radius[i] * (cosine_sign * (is_near ? cosine : sine));
    out[2 * i + 1] = radius[i] * (sine_sign * (is_near ? sine : cosine));
  }
}

template <typename Generator>
void Fill(const RandomStream& stream, int64_t first, std::span<double> out, Generator numbers) {
  uint64_t block = static_cast<uint64_t>(first) / 2;
  while (out.size() >= std::tuple_size_v<Numbers>) {
    numbers(stream, block, out.data());
    block += kPhiloxLanes;
    out = out.subspan(std::tuple_size_v<Numbers>);
  }
  if (out.empty()) return;
  Numbers last;
  numbers(stream, block, last.data());
  std::copy_n(last.begin(), out.size(), out.begin());
}

}  // namespace

void FillUniform(const RandomStream& stream, int64_t first, std::span<double> out) {
  Fill(stream, first, out, UniformNumbers);
}

void FillNormal(const RandomStream& stream, int64_t first, std::span<double> out) {
  Fill(stream, first, out, NormalNumbers);
}

}  // namespace dl

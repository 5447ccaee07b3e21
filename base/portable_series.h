// The formulas of base/portable_math.h, to be inlined into loops over many numbers
// (base/random_fill.cc). A loop and the functions of base/portable_math.h give equal bits.
#pragma once

#include <bit>
#include <cstdint>

#include "base/isa_clones.h"

namespace dl::portable {

// ln 2 in two parts: the high part has 21 trailing zero bits.
inline constexpr double kLn2High = 6.93147180369123816490e-01;
inline constexpr double kLn2Low = 1.90821492927058770002e-10;
inline constexpr double kTwoPi = 6.283185307179586476925286766559;

// Continues a Taylor series of sine or cosine at the term 1/n!, by Horner's rule to the term
// 1/last!. `sum` contains the terms of higher degree. A template, so that no loop remains.
template <int n, int last>
DL_ALWAYS_INLINE double TurnSum(double y, double sum) {
  sum = -(1.0 + sum) * y / (n * (n - 1));
  if constexpr (n > last) {
    return TurnSum<n - 2, last>(y, sum);
  } else {
    return sum;
  }
}

// sin and cos of 2 pi f for |f| <= 1/8, by Taylor series in (2 pi f). The last term is below 2^-60.
DL_ALWAYS_INLINE double SinSeries(double f) {
  const double x = kTwoPi * f;
  return x + x * TurnSum<19, 3>(x * x, 0);
}
DL_ALWAYS_INLINE double CosSeries(double f) {
  const double x = kTwoPi * f;
  return 1.0 + TurnSum<20, 2>(x * x, 0);
}

// Continues z/3 + z^2/5 + ... at 1/n, by Horner's rule.
template <int n>
DL_ALWAYS_INLINE double ArtanhSum(double z, double sum) {
  sum = (sum + 1.0 / n) * z;
  if constexpr (n > 3) {
    return ArtanhSum<n - 2>(z, sum);
  } else {
    return sum;
  }
}

// Returns ln(x 2^exponent). REQUIRES: x is a normal number, x > 0.
DL_ALWAYS_INLINE double LogOfNormal(double x, int exponent = 0) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const double whole =
      std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  const bool is_large = whole > 1.4142135623730951;
  const double m = is_large ? whole * 0.5 : whole;
  exponent += static_cast<int>(bits >> 52) - (is_large ? 1022 : 1023);
  // ln m = 2 artanh(s), s = (m-1)/(m+1), |s| <= 0.1716: 2 (s + s^3/3 + s^5/5 + ...), to s^23.
  const double s = (m - 1.0) / (m + 1.0);
  const double tail = 2.0 * s * ArtanhSum<23>(s * s, 0);
  return exponent * kLn2High + (2.0 * s + (tail + exponent * kLn2Low));
}

}  // namespace dl::portable

#include "base/portable_math.h"

#include <bit>
#include <limits>

#include "base/portable_series.h"

namespace dl::portable {

double Log(double x) {
  const bool is_subnormal = x < std::numeric_limits<double>::min();
  return is_subnormal ? LogOfNormal(x * 0x1.0p54, -54) : LogOfNormal(x);
}

double Exp(double x) {
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLargest = 709.7, kSmallest = -708.3;  // results there are normal numbers
  if (x > kLargest) return std::numeric_limits<double>::infinity();
  if (x < kSmallest) return 0.0;
  const double rounded = x * kLog2E + (x < 0 ? -0.5 : 0.5);
  const auto n = static_cast<int64_t>(rounded);  // towards 0
  // |r| <= 0.3466 or so. exp(r) by its series; the last term is below 2^-60.
  const double r = (x - static_cast<double>(n) * kLn2High) - static_cast<double>(n) * kLn2Low;
  double sum = 1.0;
  for (int k = 16; k >= 1; --k) sum = 1.0 + sum * r / k;
  // Two factors, because 2^1024 is not a double.
  const int64_t half = n / 2;
  const auto power = [](int64_t k) {
    return std::bit_cast<double>(static_cast<uint64_t>(k + 1023) << 52);
  };
  return sum * power(half) * power(n - half);
}

double Pow(double base, double exponent) {
  constexpr double kBySquaring = 1 << 20;
  const auto whole = static_cast<uint64_t>(exponent < kBySquaring ? exponent : 0);
  if (exponent < kBySquaring && static_cast<double>(whole) == exponent) return PowInt(base, whole);
  if (base == 0.0) return 0.0;
  return Exp(exponent * Log(base));
}

double CosTurns(double t) {
  double f = t - static_cast<double>(static_cast<int64_t>(t));  // exact
  if (f < 0) f = -f;                                            // cos is even
  if (f > 0.5) f = 1.0 - f;
  double sign = 1.0;
  if (f > 0.25) {
    f = 0.5 - f;
    sign = -1.0;
  }
  return sign * (f <= 0.125 ? CosSeries(f) : SinSeries(0.25 - f));
}

double SinTurns(double t) {
  double f = t - static_cast<double>(static_cast<int64_t>(t));
  double sign = 1.0;
  if (f < 0) {
    f = -f;
    sign = -1.0;
  }
  if (f > 0.5) {
    f = 1.0 - f;
    sign = -sign;
  }
  if (f > 0.25) f = 0.5 - f;
  return sign * (f <= 0.125 ? SinSeries(f) : CosSeries(0.25 - f));
}

double PowInt(double base, uint64_t exponent) {
  double result = 1.0;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace dl::portable

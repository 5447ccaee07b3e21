#include "base/portable_math.h"

#include <bit>
#include <limits>

namespace dl::portable {
namespace {

constexpr double kLn2High =
    6.93147180369123816490e-01;  // ln 2 in two parts: the high part has 21 trailing zero bits
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kTwoPi = 6.283185307179586476925286766559;

// sin and cos of 2 pi f for |f| <= 1/8, by Taylor series in (2 pi f). The last term is below 2^-60.
double SinSeries(double f) {
  const double x = kTwoPi * f;
  const double y = x * x;
  double sum = 0;
  for (int n = 19; n >= 3; n -= 2) sum = -(1.0 + sum) * y / (n * (n - 1));
  return x + x * sum;
}
double CosSeries(double f) {
  const double x = kTwoPi * f;
  const double y = x * x;
  double sum = 0;
  for (int n = 20; n >= 2; n -= 2) sum = -(1.0 + sum) * y / (n * (n - 1));
  return 1.0 + sum;
}

}  // namespace

double Log(double x) {
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {  // subnormal: scale up first
    x *= 0x1.0p54;
    exponent = -54;
  }
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // ln m = 2 artanh(s), s = (m-1)/(m+1), |s| <= 0.1716: 2 (s + s^3/3 + s^5/5 + ...), to s^23.
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double sum = 0;
  for (int n = 23; n >= 3; n -= 2) sum = (sum + 1.0 / n) * z;
  const double tail = 2.0 * s * sum;
  return exponent * kLn2High + (2.0 * s + (tail + exponent * kLn2Low));
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

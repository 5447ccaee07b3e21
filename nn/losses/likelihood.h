// Probabilities of long sequences of events, which are too small for a double: for example 2^-126
// to the power of 1000.
#pragma once

#include <bit>
#include <cstdint>

#include "base/portable_math.h"

namespace dl::nn {

// A number >= 0 as mantissa * 2^exponent. The mantissa is 0 or in [1, 2). Products and sums are
// rounded like those of doubles. Only + - * / and operations on integers are used, so the bits are
// equal on every CPU.
class Likelihood {
 public:
  Likelihood() = default;
  // REQUIRES: `value` is 0 or a normal number.
  explicit Likelihood(double value) : mantissa_(value) { Normalize(); }

  bool IsZero() const { return mantissa_ == 0.0; }
  // Returns the natural logarithm. REQUIRES: not 0.
  double Log() const {
    constexpr double kLn2 = 0.69314718055994530942;
    return portable::Log(mantissa_) + static_cast<double>(exponent_) * kLn2;
  }
  // Returns the value as a double, 0 if it is below the smallest normal double. REQUIRES: at most
  // 1.
  double Value() const {
    constexpr int64_t kSmallest = -1022;
    return exponent_ < kSmallest ? 0.0 : mantissa_ * PowerOfTwo(exponent_);
  }

  friend Likelihood operator*(Likelihood a, Likelihood b) {
    a.mantissa_ *= b.mantissa_;
    a.exponent_ += b.exponent_;
    a.Normalize();
    return a;
  }
  friend Likelihood operator+(Likelihood a, Likelihood b) {
    if (a.IsZero()) return b;
    if (b.IsZero()) return a;
    if (a.exponent_ < b.exponent_) std::swap(a, b);
    constexpr int64_t kBits = 60;  // a term that is smaller by more is lost in rounding
    const int64_t shift = a.exponent_ - b.exponent_;
    if (shift > kBits) return a;
    a.mantissa_ += b.mantissa_ * PowerOfTwo(-shift);
    a.Normalize();
    return a;
  }
  // REQUIRES: b is not 0.
  friend Likelihood operator/(Likelihood a, Likelihood b) {
    a.mantissa_ /= b.mantissa_;
    a.exponent_ -= b.exponent_;
    a.Normalize();
    return a;
  }

 private:
  static constexpr int kMantissaBits = 52, kBias = 1023;
  static constexpr uint64_t kExponentOfOne = uint64_t{kBias} << kMantissaBits;

  static double PowerOfTwo(int64_t exponent) {
    return std::bit_cast<double>(static_cast<uint64_t>(exponent + kBias) << kMantissaBits);
  }
  void Normalize() {
    if (IsZero()) return;
    const auto bits = std::bit_cast<uint64_t>(mantissa_);
    exponent_ += static_cast<int64_t>(bits >> kMantissaBits) - kBias;
    constexpr uint64_t kFraction = (uint64_t{1} << kMantissaBits) - 1;
    mantissa_ = std::bit_cast<double>((bits & kFraction) | kExponentOfOne);
  }

  double mantissa_ = 0;
  int64_t exponent_ = 0;
};

}  // namespace dl::nn

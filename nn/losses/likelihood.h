// Probabilities of long sequences of events, which no double holds: 2^-126 a thousand times.
#pragma once

#include <bit>
#include <cstdint>

#include "base/portable_math.h"

namespace dl::nn {

// A number from 0 on, mantissa * 2^exponent, whose mantissa is 0 or from 1 to below 2. Products and
// sums are rounded as those of doubles are. From + * and shifts alone: the same bits on every CPU.
class Likelihood {
 public:
  Likelihood() = default;
  // REQUIRES: 0, or a normal number.
  explicit Likelihood(double value) : mantissa_(value) { Normalize(); }

  bool IsZero() const { return mantissa_ == 0.0; }
  // REQUIRES: not 0.
  double Log() const {
    constexpr double kLn2 = 0.69314718055994530942;
    return portable::Log(mantissa_) + static_cast<double>(exponent_) * kLn2;
  }
  // 0 where it is below the smallest normal double. REQUIRES: at most 1.
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
    constexpr int64_t kBits = 60;  // what is smaller by more is lost in rounding
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

#include "nn/metrics/exact_sum.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "absl/strings/str_cat.h"

namespace dl::nn {
namespace {

__extension__ using Wide = unsigned __int128;
using Limbs = std::array<uint64_t, 4>;

constexpr int kGridBits = 150;      // a unit is 2^-150
constexpr int kTextUnitBits = 126;  // a unit of the text is 2^126 units
constexpr int kBits = 256;
constexpr size_t kMostDigits = 77;  // 10^77 < 2^256

bool IsZero(const Limbs& x) { return x == Limbs{}; }

int BitLength(const Limbs& x) {
  for (int i = 3; i >= 0; --i)
    if (x[i] != 0) return 64 * i + std::bit_width(x[i]);
  return 0;
}

int TrailingZeros(const Limbs& x) {
  for (int i = 0; i < 4; ++i)
    if (x[i] != 0) return 64 * i + std::countr_zero(x[i]);
  return kBits;
}

Limbs ShiftedLeft(const Limbs& x, int bits) {
  Limbs y{};
  const int limbs = bits / 64, rest = bits % 64;
  for (int i = 3; i >= limbs; --i) {
    y[i] = x[i - limbs] << rest;
    if (rest > 0 && i > limbs) y[i] |= x[i - limbs - 1] >> (64 - rest);
  }
  return y;
}

Limbs ShiftedRight(const Limbs& x, int bits) {
  Limbs y{};
  const int limbs = bits / 64, rest = bits % 64;
  for (int i = 0; i + limbs < 4; ++i) {
    y[i] = x[i + limbs] >> rest;
    if (rest > 0 && i + limbs + 1 < 4) y[i] |= x[i + limbs + 1] << (64 - rest);
  }
  return y;
}

Limbs Plus(const Limbs& a, const Limbs& b) {
  Limbs sum{};
  Wide carry = 0;
  for (int i = 0; i < 4; ++i) {
    carry += Wide{a[i]} + b[i];
    sum[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  return sum;
}

Limbs Negated(Limbs x) {
  for (uint64_t& limb : x) limb = ~limb;
  return Plus(x, {1});
}

std::string Decimal(Limbs x) {
  std::string text;
  while (!IsZero(x)) {
    Wide rest = 0;
    for (int i = 3; i >= 0; --i) {
      rest = rest << 64 | x[i];
      x[i] = static_cast<uint64_t>(rest / 10);
      rest %= 10;
    }
    text.push_back(static_cast<char>('0' + static_cast<int>(rest)));
  }
  std::ranges::reverse(text);
  return text.empty() ? "0" : text;
}

std::optional<Limbs> FromDecimal(std::string_view digits) {
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  Limbs x{};
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    Wide carry = static_cast<Wide>(c - '0');
    for (uint64_t& limb : x) {
      carry += Wide{limb} * 10;
      limb = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  return x;
}

// Returns 2^exponent. REQUIRES: the result is a normal number.
double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

}  // namespace

void ExactSum::Add(double term) {
  const auto bits = std::bit_cast<uint64_t>(std::clamp(term, -kLargestTerm, kLargestTerm));
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  if (exponent > 0) mantissa |= uint64_t{1} << 52;
  // The term is mantissa * 2^shift units.
  const int shift = std::max(exponent, 1) - 1075 + kGridBits;
  Limbs units{};
  if (shift >= 0) {
    units = ShiftedLeft({mantissa}, shift);
  } else if (shift >= -53) {
    units[0] = (mantissa + (uint64_t{1} << (-shift - 1))) >> -shift;
  }
  limbs_ = Plus(limbs_, (bits >> 63) != 0 ? Negated(units) : units);
}

bool ExactSum::Merge(const ExactSum& other) {
  ExactSum sum;
  sum.limbs_ = Plus(limbs_, other.limbs_);
  if (is_negative() == other.is_negative() && sum.is_negative() != is_negative()) return false;
  *this = sum;
  return true;
}

Limbs ExactSum::Magnitude() const { return is_negative() ? Negated(limbs_) : limbs_; }

double ExactSum::value() const {
  const Limbs magnitude = Magnitude();
  // The highest 64 bits. The lowest of them is also set if a lower bit is set, so that halves are
  // rounded correctly.
  const int dropped = std::max(0, BitLength(magnitude) - 64);
  uint64_t head = ShiftedRight(magnitude, dropped)[0];
  if (dropped > TrailingZeros(magnitude)) head |= 1;
  const double value = static_cast<double>(head) * PowerOfTwo(dropped - kGridBits);
  return is_negative() ? -value : value;
}

Quad ExactSum::precise() const {
  const Limbs magnitude = Magnitude();
  Quad sum = 0;
  for (int i = 3; i >= 0; --i) sum = sum * 0x1.0p64 + static_cast<Quad>(magnitude[i]);
  sum *= 0x1.0p-150;
  return is_negative() ? -sum : sum;
}

std::string ExactSum::ToText() const {
  const Limbs magnitude = Magnitude();
  const int shift = std::min(TrailingZeros(magnitude), kTextUnitBits);
  std::string text =
      absl::StrCat(is_negative() ? "-" : "", Decimal(ShiftedRight(magnitude, shift)));
  if (shift < kTextUnitBits) absl::StrAppend(&text, "/2^", kTextUnitBits - shift);
  return text;
}

std::optional<ExactSum> ExactSum::FromText(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  std::string_view digits = text.substr(is_negative ? 1 : 0);
  int fraction_bits = 0;
  if (const size_t slash = digits.find("/2^"); slash != std::string_view::npos) {
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data() + slash + 3, end, fraction_bits);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    if (fraction_bits < 1 || fraction_bits > kTextUnitBits) return std::nullopt;
    digits = digits.substr(0, slash);
  }
  const std::optional<Limbs> units = FromDecimal(digits);
  const int shift = kTextUnitBits - fraction_bits;
  if (!units || BitLength(*units) + shift > kBits - 1) return std::nullopt;
  const Limbs magnitude = ShiftedLeft(*units, shift);
  ExactSum sum;
  sum.limbs_ = is_negative ? Negated(magnitude) : magnitude;
  if (sum.ToText() != text) return std::nullopt;  // rejects "007", "-0", "2/2^1"
  return sum;
}

}  // namespace dl::nn

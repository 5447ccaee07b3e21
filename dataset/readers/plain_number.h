// Parses decimal numbers of few digits, as most tables have, without a library.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dl::dataset {

// Returns the value that std::from_chars returns for the whole text, after a plus sign that no
// other sign follows. Returns nullopt for a text that is not a number, and for numbers whose
// nearest double needs more than one division or product: those of more than 19 digits, above 2^53
// without their point, or with a power of ten beyond 10^22 (Clinger, How to Read Floating Point
// Numbers Accurately, 1990).
inline std::optional<double> PlainNumber(std::string_view text) {
  constexpr uint64_t kExact = uint64_t{1} << 53;
  constexpr int64_t kMostDigits = 19, kMostPower = 22, kMostExponent = 1000;
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *at = text.data(), *const end = at + text.size();
  const bool is_negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  uint64_t digits = 0;
  const auto take_digits = [&] {
    const char* const begin = at;
    for (; at != end; ++at) {
      const auto digit = static_cast<unsigned char>(*at - '0');
      if (digit > 9) break;
      digits = digits * 10 + digit;
    }
    return at - begin;
  };
  int64_t count = take_digits();
  int64_t power = 0;
  if (at != end && *at == '.') {
    ++at;
    power = -take_digits();
    count -= power;
  }
  if (count == 0 || count > kMostDigits || digits > kExact) return std::nullopt;
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    const bool is_small = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    const char* const begin = at;
    int64_t exponent = 0;
    for (; at != end && *at >= '0' && *at <= '9' && exponent < kMostExponent; ++at)
      exponent = exponent * 10 + (*at - '0');
    if (at == begin) return std::nullopt;
    power += is_small ? -exponent : exponent;
  }
  if (at != end || power < -kMostPower || power > kMostPower) return std::nullopt;
  auto value = static_cast<double>(digits);
  if (power < 0) value /= kPowers[-power];
  if (power > 0) value *= kPowers[power];
  return is_negative ? -value : value;
}

}  // namespace dl::dataset

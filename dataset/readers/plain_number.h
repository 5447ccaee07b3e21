// Parses decimal numbers of few digits, as most tables have, without a library.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataset/readers/eight_digits.h"

namespace dl::dataset {

// Division by these powers of ten, and products with them, are exact up to the last rounding.
inline constexpr double kExactPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr uint64_t kExactDigits = uint64_t{1} << 53;  // all whole numbers to it are doubles
inline constexpr double kExactWholeNumbers = static_cast<double>(kExactDigits);

struct ShortDecimal {
  double value = 0;
  bool has_point = false;
};

// Parses digits with or without a sign and a point, at most 16 characters in all. Returns nullopt
// for other texts, and for numbers above 2^53 without their point. The value is that of
// PlainNumber. No branch depends on the number of digits, which varies in most columns.
inline std::optional<ShortDecimal> ParseShortDecimal(std::string_view text) {
  constexpr size_t kWord = 8;
  const size_t size = text.size();
  if (size == 0 || size > 2 * kWord) return std::nullopt;
  const bool is_long = size > kWord;
  uint64_t last = eight::AtEnd(text.data() + (is_long ? size - kWord : 0), is_long ? kWord : size);
  uint64_t first = is_long ? eight::AtEnd(text.data(), size - kWord) : 0;
  const bool is_negative = text[0] == '-', has_sign = is_negative || text[0] == '+';
  const uint64_t sign = uint64_t{has_sign ? 0xffu : 0u} << (8 * (2 * kWord - size) % 64);
  (is_long ? first : last) &= ~sign;
  size_t digits = size - (has_sign ? 1 : 0), fraction = 0;
  // Closes the gap of the point. A second point is no digit.
  const auto close = [](uint64_t word, size_t place, uint64_t before) {
    const uint64_t kept = (uint64_t{1} << (8 * place)) - 1;  // characters before the point
    return (word & ~(kept << 8 | 0xff)) | (word & kept) << 8 | before;
  };
  const uint64_t in_last = eight::Places(last, '.');
  const uint64_t in_first = is_long ? eight::Places(first, '.') : 0;
  const bool has_point = (in_last | in_first) != 0;
  if (in_last != 0) {
    const auto place = static_cast<size_t>(std::countr_zero(in_last)) / 8;
    last = close(last, place, first >> 56);
    first <<= 8;
    fraction = kWord - 1 - place;
  } else if (in_first != 0) {
    const auto place = static_cast<size_t>(std::countr_zero(in_first)) / 8;
    first = close(first, place, 0);
    fraction = 2 * kWord - 1 - place;
  }
  digits -= has_point ? 1 : 0;
  if (digits == 0) return std::nullopt;
  last = eight::FillWithZeros(last, std::min(digits, kWord));
  if (!eight::AreDigits(last)) return std::nullopt;
  uint64_t number = eight::ValueOf(last);
  if (digits > kWord) {
    first = eight::FillWithZeros(first, digits - kWord);
    if (!eight::AreDigits(first)) return std::nullopt;
    number += eight::ValueOf(first) * 100'000'000;
    if (number > kExactDigits) return std::nullopt;
  }
  const double value = static_cast<double>(number) / kExactPowersOfTen[fraction];
  return ShortDecimal{.value = is_negative ? -value : value, .has_point = has_point};
}

// Returns PlainNumber(text), digit by digit.
std::optional<double> PlainNumberByDigit(std::string_view text);

// Returns the value that std::from_chars returns for the whole text, after a plus sign that no
// other sign follows. Returns nullopt for a text that is not a number, and for numbers whose
// nearest double needs more than one division or product: those of more than 19 digits, above 2^53
// without their point, or with a power of ten beyond 10^22 (Clinger, How to Read Floating Point
// Numbers Accurately, 1990).
inline std::optional<double> PlainNumber(std::string_view text) {
  if (const auto decimal = ParseShortDecimal(text)) return decimal->value;
  return PlainNumberByDigit(text);
}

}  // namespace dl::dataset

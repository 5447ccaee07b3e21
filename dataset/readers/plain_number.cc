#include "dataset/readers/plain_number.h"

namespace dl::dataset {

std::optional<double> PlainNumberByDigit(std::string_view text) {
  constexpr int64_t kMostDigits = 19, kMostPower = 22, kMostExponent = 1000;
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
  if (count == 0 || count > kMostDigits || digits > kExactDigits) return std::nullopt;
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
  if (power < 0) value /= kExactPowersOfTen[-power];
  if (power > 0) value *= kExactPowersOfTen[power];
  return is_negative ? -value : value;
}

}  // namespace dl::dataset

#include "dataset/readers/table/decimal_set.h"

#include <algorithm>
#include <bit>

#include "dataset/readers/plain_number.h"

namespace dl::dataset {
namespace {

constexpr uint64_t kMostPlaces = 6, kMostDigits = uint64_t{1} << 40;
constexpr int64_t kPowers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000};

}  // namespace

// The products with powers of ten need less than 63 bits.
void DecimalSet::Begin(const ShortDecimals& numbers, size_t begin, size_t end) {
  places_ =
      std::min(*std::max_element(numbers.fractions + begin, numbers.fractions + end), kMostPlaces);
  int64_t least = INT64_MAX, greatest = INT64_MIN;
  for (size_t i = begin; i < end; ++i) {
    if (numbers.fractions[i] > places_ || numbers.digits[i] + kMostDigits > 2 * kMostDigits)
      continue;  // Add() refuses it
    const int64_t decimal = numbers.digits[i] * kPowers[places_ - numbers.fractions[i]];
    least = std::min(least, decimal);
    greatest = std::max(greatest, decimal);
  }
  if (least > greatest) return;
  const auto bits = static_cast<int64_t>(bits_);
  // Most columns without negative numbers begin near 0.
  const bool is_near_zero = least >= 0 && greatest < bits / 2;
  least_ = is_near_zero ? -bits / 8 : (least + greatest) / 2 - bits / 2;
  words_.resize(bits_ / 64);
}

bool DecimalSet::Add(const ShortDecimals& numbers, size_t begin, size_t end) {
  if (words_.empty()) Begin(numbers, begin, end);
  if (words_.empty()) return false;
  uint32_t bits[ShortDecimals::kMost];
  uint64_t too_large = 0;
  for (size_t i = begin; i < end; ++i) {
    const uint64_t fraction = numbers.fractions[i];
    too_large |= fraction > places_ ? 1 : 0;
    too_large |= numbers.digits[i] + kMostDigits > 2 * kMostDigits ? 1 : 0;
    const int64_t power = kPowers[places_ - std::min(fraction, places_)];
    const auto bit = static_cast<uint64_t>(numbers.digits[i]) * static_cast<uint64_t>(power) -
                     static_cast<uint64_t>(least_);
    too_large |= bit >= bits_ ? 1 : 0;
    bits[i] = static_cast<uint32_t>(bit);
  }
  if (too_large != 0) return false;
  uint64_t* const words = words_.data();
  for (size_t i = begin; i < end; ++i) words[bits[i] / 64] |= uint64_t{1} << (bits[i] % 64);
  is_empty_ = false;
  return true;
}

std::vector<double> DecimalSet::Take() {
  std::vector<double> decimals;
  if (is_empty_) return decimals;
  for (size_t i = 0; i < words_.size(); ++i) {
    for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
      const int64_t decimal = least_ + static_cast<int64_t>(64 * i) + std::countr_zero(word);
      decimals.push_back(static_cast<double>(decimal) / kExactPowersOfTen[places_]);
    }
    words_[i] = 0;
  }
  is_empty_ = true;
  return decimals;
}

}  // namespace dl::dataset

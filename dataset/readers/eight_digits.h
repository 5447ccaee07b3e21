// Handles eight characters of a number at a time, in a word of 64 bits. The lowest byte of a word
// is its first character (Lemire, Number Parsing at a Gigabyte per Second, 2021).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dl::dataset::eight {

inline constexpr uint64_t kEach = 0x0101010101010101;  // times a byte: the byte in all places

// Returns a text of 1 to 8 characters at the end of a word. The bytes before it are 0.
inline uint64_t AtEnd(const char* text, size_t size) {
  if (size >= 4) {
    uint32_t first = 0, last = 0;  // overlap if the text is shorter than 8
    std::memcpy(&first, text, sizeof first);
    std::memcpy(&last, text + size - sizeof last, sizeof last);
    return uint64_t{last} << 32 | uint64_t{first} << (64 - 8 * size);
  }
  // The middle of one or two characters is the last.
  const auto at = [&](size_t i) {
    return uint64_t{static_cast<unsigned char>(text[i])} << (8 * (8 - size + i));
  };
  return at(0) | at(size / 2) | at(size - 1);
}

// Returns a word with the highest bit of each byte that is equal to `c`, and no other bits.
inline uint64_t Places(uint64_t word, char c) {
  const uint64_t differs = word ^ kEach * static_cast<unsigned char>(c);
  constexpr uint64_t kLow = kEach * 0x7f;
  return ~(((differs & kLow) + kLow) | differs | kLow);
}

// Writes '0' into all but the last `count` bytes, which are 0. `count` is from 1 to 8.
inline uint64_t FillWithZeros(uint64_t word, size_t count) {
  return count == 8 ? word : word | (kEach * '0' & ((uint64_t{1} << (8 * (8 - count))) - 1));
}

// Returns whether all characters are digits.
inline bool AreDigits(uint64_t word) {
  constexpr uint64_t kHigh = kEach * 0xf0;
  return (word & kHigh) == kEach * 0x30 && ((word + kEach * 0x06) & kHigh) == kEach * 0x30;
}

// Returns the number of eight digits.
inline uint64_t ValueOf(uint64_t word) {
  word -= kEach * '0';
  word = word * 10 + (word >> 8);  // pairs of digits in every second byte
  constexpr uint64_t kPairs = 0x000000ff000000ff;
  constexpr uint64_t kFirst = 100 + (uint64_t{1'000'000} << 32);
  constexpr uint64_t kSecond = 1 + (uint64_t{10'000} << 32);
  return ((word & kPairs) * kFirst + ((word >> 16) & kPairs) * kSecond) >> 32;
}

}  // namespace dl::dataset::eight

// Hashes of the values of a table.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

#include "dataset/readers/eight_digits.h"

namespace dl::dataset {

// Returns Xxh3() of the 8 bytes of the value, without a call of the library (xxHash, doc/
// xxhash_spec.md, "Medium inputs" of 4 to 8 bytes, with seed 0). 0 and -0 have one hash.
inline uint64_t HashOfNumber(double value) {
  constexpr uint64_t kBitFlip = 0x1cad21f72c81017c ^ 0xdb979083e96dd4de;  // of the default secret
  constexpr uint64_t kPrime = 0x9fb21c651e98df25;
  constexpr uint64_t kBytes = sizeof value;
  const auto bits = std::bit_cast<uint64_t>(value + 0.0);  // maps -0 to 0
  uint64_t hash = std::rotl(bits, 32) ^ kBitFlip;
  hash ^= std::rotl(hash, 49) ^ std::rotl(hash, 24);
  hash *= kPrime;
  hash ^= (hash >> 35) + kBytes;
  hash *= kPrime;
  return hash ^ (hash >> 28);
}

// Returns a number that depends on the length and on the first and last 8 bytes of the text. For
// small tables of recent texts, because it costs less than a hash of the text.
inline uint64_t SlotOf(std::string_view text) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  // from the golden ratio
  if (text.empty()) return 0;
  const size_t size = std::min(text.size(), size_t{8});
  const uint64_t begin = eight::AtEnd(text.data(), size);
  const uint64_t end = eight::AtEnd(text.data() + text.size() - size, size);
  const uint64_t both = (begin + text.size()) * kOdd ^ end;
  return (both ^ both >> 32) * kOdd >> 32;  // the last characters are in the highest bits
}

}  // namespace dl::dataset

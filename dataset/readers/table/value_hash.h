// The hash of a number for counts of distinct values.
#pragma once

#include <bit>
#include <cstdint>

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

}  // namespace dl::dataset

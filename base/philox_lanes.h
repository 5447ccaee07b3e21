// Words of a random stream (base/philox.h), computed in vectors. To be inlined into functions with
// DL_ISA_CLONES.
#pragma once

#include <cstdint>

#include "base/isa_clones.h"
#include "base/philox.h"

namespace dl {

inline constexpr int kPhiloxLanes = 16;  // blocks that are computed side by side

struct PhiloxWords {
  uint32_t c0, c1, c2, c3;
};

// Returns the words after the last `rounds` rounds. A template, so that no loop remains inside the
// loop over the lanes.
template <int rounds>
DL_ALWAYS_INLINE PhiloxWords PhiloxRounds(const PhiloxWords& c, uint32_t k0, uint32_t k1) {
  if constexpr (rounds == 0) {
    return c;
  } else {
    const uint64_t p0 = uint64_t{0xD2511F53} * c.c0;
    const uint64_t p1 = uint64_t{0xCD9E8D57} * c.c2;
    const PhiloxWords next = {
        static_cast<uint32_t>(p1 >> 32) ^ c.c1 ^ k0, static_cast<uint32_t>(p1),
        static_cast<uint32_t>(p0 >> 32) ^ c.c3 ^ k1, static_cast<uint32_t>(p0)};
    return PhiloxRounds<rounds - 1>(next, k0 + 0x9E3779B9, k1 + 0xBB67AE85);
  }
}

// Sets out[k][j] to word 4 (first + j) + k of the stream, as stream.At() returns it. `first` is the
// number of a block.
DL_ALWAYS_INLINE void PhiloxBlocks(const RandomStream& stream, uint64_t first,
                                   uint32_t out[4][kPhiloxLanes]) {
  const uint32_t k0 = stream.key()[0], k1 = stream.key()[1];
  const uint64_t base = stream.base();
  for (int j = 0; j < kPhiloxLanes; ++j) {
    const uint64_t block = first + j;
    const PhiloxWords words =
        PhiloxRounds<10>({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                          static_cast<uint32_t>(base), static_cast<uint32_t>(base >> 32)},
                         k0, k1);
    out[0][j] = words.c0;
    out[1][j] = words.c1;
    out[2][j] = words.c2;
    out[3][j] = words.c3;
  }
}

}  // namespace dl

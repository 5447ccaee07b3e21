// Numbers in the keys of the bulk database: big-endian, so that the keys sort by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dl::storage {

inline constexpr size_t kNumberBytes = 8;

// Appends the lowest `bytes` bytes of `value`.
inline void AppendNumber(std::string& key, uint64_t value, size_t bytes = kNumberBytes) {
  for (size_t left = bytes; left > 0; --left)
    key.push_back(static_cast<char>(value >> (8 * (left - 1))));
}

}  // namespace dl::storage

// Names and hashes as they are written: digits of base 16 in lower case, a fixed number of them.
#pragma once

#include <cstddef>
#include <string_view>

namespace dl {

inline bool IsLowerHex(std::string_view text, size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// What Sha256::HexDigest could have made.
inline bool IsSha256Hex(std::string_view text) { return IsLowerHex(text, 64); }

}  // namespace dl

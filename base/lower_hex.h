// Checks of names and hashes in lower-case hexadecimal of fixed length.
#pragma once

#include <cstddef>
#include <string_view>

namespace dl {

// Returns true if the text consists of exactly `digits` lower-case hexadecimal digits.
inline bool IsLowerHex(std::string_view text, size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Returns true if the text has the form of Sha256::HexDigest.
inline bool IsSha256Hex(std::string_view text) { return IsLowerHex(text, 64); }

}  // namespace dl

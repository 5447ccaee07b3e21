// Characters of texts that look the same and are not.
#pragma once

#include <string>
#include <string_view>

namespace dl::dataset {

// Returns the characters of the text. A byte that is not UTF-8 becomes one character beyond
// Unicode.
std::u32string Characters(std::string_view text);

inline bool IsBetween(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

// Returns whether the character is not shown, such as a zero-width space, a mark of direction, or a
// selector of the form of an emoji.
inline bool HasNoWidth(char32_t c) {
  return IsBetween(c, 0x200b, 0x200f) || IsBetween(c, 0x202a, 0x202e) ||
         IsBetween(c, 0x2060, 0x2069) || IsBetween(c, 0xfe00, 0xfe0f) || c == 0xfeff || c == 0xad;
}

// Returns the ASCII character for a full-width one, or `c`.
inline char32_t InUsualWidth(char32_t c) { return IsBetween(c, 0xff01, 0xff5e) ? c - 0xfee0 : c; }

}  // namespace dl::dataset

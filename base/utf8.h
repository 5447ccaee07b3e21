// Texts that come from outside are UTF-8 or they are refused at the border: JSON carries nothing
// else, and its writer throws.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dl {

// True for well-formed UTF-8 without overlong forms and surrogates (RFC 3629).
bool IsUtf8(std::string_view text);

// For texts that must go on whatever they are, such as an error's: U+FFFD in place of every byte
// that belongs to no character.
std::string RepairUtf8(std::string_view text);

// The longest beginning of at most `max_bytes` that cuts no character in two.
std::string_view Utf8Prefix(std::string_view text, size_t max_bytes);

}  // namespace dl

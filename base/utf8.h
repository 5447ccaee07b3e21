// Checks and repairs UTF-8. Text from outside that is not UTF-8 is refused where it enters, because
// JSON supports nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dl {

// Returns true for well-formed UTF-8 without overlong forms and surrogates (RFC 3629).
bool IsUtf8(std::string_view text);

// Replaces every byte that belongs to no character by U+FFFD. For text that cannot be refused, such
// as the text of an error.
std::string RepairUtf8(std::string_view text);

// Returns the longest prefix of at most `max_bytes` that does not cut a character. Text that is not
// UTF-8 may be cut anywhere.
std::string_view Utf8Prefix(std::string_view text, size_t max_bytes);

}  // namespace dl

// Text from files and peers, made safe for a terminal: control characters are written as escapes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dl {

// Returns the text with each control character (C0, DEL, and C1 as UTF-8 encodes it) as "\u001b",
// and carriage returns as "\r": what JSON has too, so that JSON stays JSON. Line ends and tabs
// stay: for text of several lines.
std::string PrintableText(std::string_view text);

// The same, with line ends and tabs as "\n" and "\t": for a name within a line.
std::string PrintableName(std::string_view name);

// The first `max_bytes` of the text, cut at a character, for a name within a sentence: control
// characters as in PrintableName, and U+FFFD for bytes that are not UTF-8.
std::string Excerpt(std::string_view text, size_t max_bytes = 40);

}  // namespace dl

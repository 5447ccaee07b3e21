// Makes text from files and peers safe for a terminal: control characters are written as escapes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dl {

// Returns the text with each control character (C0, DEL, and C1 as encoded by UTF-8) as "\u001b",
// and carriage returns as "\r". Strings in JSON have the same escapes, so JSON without carriage
// returns between its values stays JSON. Unicode's line separators and the characters that reverse
// the order of the text are escaped too. Line feeds, tabs and bytes that are not UTF-8 are kept.
// For text of several lines.
std::string PrintableText(std::string_view text);

// Returns the text of PrintableText with line feeds and tabs as "\n" and "\t". For a name within a
// line.
std::string PrintableName(std::string_view name);

// Returns the text of PrintableName. If a reader could not see the whole name, it is quoted as a
// string of JSON: an empty name, a name that begins or ends with a blank or with a character that
// has no width, and a name with escapes. For names of classes and categories.
std::string VisibleName(std::string_view name);

// Returns at most the first `max_bytes` bytes of the text, cut between characters. Bytes that are
// not UTF-8 become U+FFFD. The result is then escaped like the result of PrintableName, which may
// make it longer than `max_bytes`. For a name within a sentence.
std::string Excerpt(std::string_view text, size_t max_bytes = 40);

}  // namespace dl

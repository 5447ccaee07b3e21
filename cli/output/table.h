// Formats rows of text in aligned columns. Columns are as wide as terminals show them: a character
// of Chinese, Japanese or Korean needs two cells. Texts are cut by characters of UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dl::cli {

// Largest width of output for terminals.
inline constexpr size_t kColumns = 80;

// Returns the table. The first row is the heading. Columns are separated by two spaces; lines have
// no trailing spaces.
std::string RenderTable(std::vector<std::vector<std::string>> rows);

// Returns the table with lines of at most `columns` characters, if that is possible. The first
// cells of rows are cut in their middle, to at least kMinName characters, and then the last
// cells. For screens that are drawn again and again; other output has whole names.
std::string RenderTableWithin(std::vector<std::vector<std::string>> rows, size_t columns);
inline constexpr size_t kMinName = 12;

// Returns the table. A cell of the last column that does not fit is on a line of its own below its
// row. If the table is too wide because of a few long names, these are on lines of their own, and
// the rest of their rows is on the next line. Names are in the column `name`. REQUIRES: each row
// has as many columns as the heading, and more than `name` + 1.
std::string RenderTableWithNotes(std::vector<std::vector<std::string>> rows, size_t name = 0);

// Returns the text with at most `most` characters. A longer text is cut: two thirds of the result
// are the start of the text, then come "…" and the end of the text. REQUIRES: `most` is not 0.
std::string Shortened(const std::string& text, size_t most);

// Returns the length of the longest line.
size_t LongestLine(const std::string& text);

}  // namespace dl::cli

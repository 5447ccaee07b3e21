// Formats rows of text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace dl::cli {

// Largest width of output for terminals.
inline constexpr size_t kColumns = 80;

// Returns the table. The first row is the heading. Columns are separated by two spaces; lines have
// no trailing spaces.
std::string RenderTable(std::vector<std::vector<std::string>> rows);

// Returns the table. A cell of the last column that does not fit is on a line of its own below its
// row. REQUIRES: each row has as many columns as the heading.
std::string RenderTableWithNotes(std::vector<std::vector<std::string>> rows);

// Returns the length of the longest line.
size_t LongestLine(const std::string& text);

}  // namespace dl::cli

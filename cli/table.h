// Rows of text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace dl::cli {

// What people read fits into so many.
inline constexpr size_t kColumns = 80;

// The first row is the heading. Two spaces between columns, none at line ends.
std::string RenderTable(std::vector<std::vector<std::string>> rows);

// The same, but what does not fit of the last column stands on a line of its own, below its row.
// REQUIRES: each row has as many columns as the heading.
std::string RenderTableWithNotes(std::vector<std::vector<std::string>> rows);

}  // namespace dl::cli

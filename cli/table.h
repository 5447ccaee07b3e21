// Rows of text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace dl::cli {

// The first row is the heading. Two spaces between columns, none at line ends.
std::string RenderTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace dl::cli

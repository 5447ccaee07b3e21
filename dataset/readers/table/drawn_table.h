// Recognizes tables that are formatted for reading: with drawn lines, in Markdown or LaTeX, or with
// columns of fixed width.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/readers/foreign_format.h"

namespace dl::dataset {

// Recognizes a line of dashes among the first lines, as Markdown, psql, mysql and reStructuredText
// write it, and the commands of LaTeX. `lines` are the first lines that are not blank.
std::optional<OtherFormat> RecognizeDrawnTable(const std::vector<std::string_view>& lines,
                                               const std::string& path);

// Recognizes columns of fixed width: all lines have blanks at the same positions, or equal length
// and no separator. Must be used only if no separator gives all lines the same number of fields.
std::optional<OtherFormat> RecognizeFixedWidth(const std::vector<std::string_view>& lines);

}  // namespace dl::dataset

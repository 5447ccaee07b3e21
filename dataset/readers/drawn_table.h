// Recognizes tables that are drawn for people: with lines of signs, in Markdown or LaTeX, or with
// columns of a fixed width.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/readers/foreign_format.h"

namespace dl::dataset {

// A line of dashes among the first lines, as Markdown, psql, mysql and reStructuredText draw it,
// or the commands of LaTeX. `lines` are the first lines that are not blank.
std::optional<OtherFormat> RecognizeDrawnTable(const std::vector<std::string_view>& lines,
                                               const std::string& path);

// Columns of a fixed width: all lines have blanks at the same places, or the same length and no
// separator. Only for lines that no separator divides into equally many fields.
std::optional<OtherFormat> RecognizeFixedWidth(const std::vector<std::string_view>& lines);

}  // namespace dl::dataset

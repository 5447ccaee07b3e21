// Draws curves as text.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dl::cli {

struct Curve {
  std::string name;  // in the legend
  char mark = '*';   // drawn at each point
  // x and y. A point whose y is not finite is left out.
  std::vector<std::pair<int64_t, double>> points;
};

// Returns a chart whose plot has `lines` lines of at most kColumns columns (cli/output/table.h).
// The bounds of both axes and a line with the legend are added. With one line, only the upper bound
// of y is shown. A later curve covers an earlier one. Points that share a column are not averaged,
// so that peaks stay visible. Returns an empty text if there is no point with a finite y. REQUIRES:
// `lines` is at least 1.
std::string RenderChart(const std::vector<Curve>& curves, int lines = 10);

}  // namespace dl::cli

// Draws curves as text.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dl::cli {

struct Curve {
  std::string name;  // in the legend
  char mark = '*';
  std::vector<std::pair<int64_t, double>> points;  // x and y; y that are not finite are left out
};

// Returns a chart of at most kColumns columns and `lines` lines of curve, with the bounds of both
// axes and a legend. A later curve covers an earlier one. Points that share a column have a mark
// each, so that peaks stay visible. Returns an empty text if there is no point with a finite y.
// REQUIRES: `lines` is at least 1.
std::string RenderChart(const std::vector<Curve>& curves, int lines = 10);

}  // namespace dl::cli

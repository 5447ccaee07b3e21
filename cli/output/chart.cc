#include "cli/output/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/output/table.h"

namespace dl::cli {
namespace {

constexpr size_t kAxisColumns = 12;  // the number, a space and the axis

struct Bounds {
  int64_t first_x = INT64_MAX, last_x = INT64_MIN;
  double low = HUGE_VAL, high = -HUGE_VAL;

  bool empty() const { return last_x < first_x; }
};

Bounds BoundsOf(const std::vector<Curve>& curves) {
  Bounds bounds;
  for (const Curve& curve : curves) {
    for (const auto& [x, y] : curve.points) {
      if (!std::isfinite(y)) continue;
      bounds.first_x = std::min(bounds.first_x, x);
      bounds.last_x = std::max(bounds.last_x, x);
      bounds.low = std::min(bounds.low, y);
      bounds.high = std::max(bounds.high, y);
    }
  }
  return bounds;
}

// Returns the position of `value` between `low` and `high` as an index below `count`.
size_t Position(double value, double low, double high, size_t count) {
  if (!(high > low)) return 0;
  // Halves, because the difference of two large numbers may overflow.
  const double share = (value / 2 - low / 2) / (high / 2 - low / 2);
  const auto last = static_cast<double>(count - 1);
  return static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * last));
}

std::string LegendOf(const std::vector<Curve>& curves) {
  std::string legend;
  for (const Curve& curve : curves) {
    if (curve.points.empty()) continue;
    absl::StrAppend(&legend, legend.empty() ? "" : "   ", std::string(1, curve.mark), " ",
                    curve.name);
  }
  return legend;
}

}  // namespace

std::string RenderChart(const std::vector<Curve>& curves, int lines) {
  const Bounds bounds = BoundsOf(curves);
  if (bounds.empty()) return "";
  const auto rows = static_cast<size_t>(lines);
  const uint64_t range =
      static_cast<uint64_t>(bounds.last_x) - static_cast<uint64_t>(bounds.first_x);
  const size_t columns = std::min<uint64_t>(kColumns - kAxisColumns - 1, range) + 1;
  std::vector<std::string> area(rows, std::string(columns, ' '));
  for (const Curve& curve : curves) {
    for (const auto& [x, y] : curve.points) {
      if (!std::isfinite(y)) continue;
      const size_t row = rows - 1 - Position(y, bounds.low, bounds.high, rows);
      area[row][Position(static_cast<double>(x), static_cast<double>(bounds.first_x),
                         static_cast<double>(bounds.last_x), columns)] = curve.mark;
    }
  }
  std::string text;
  for (size_t row = 0; row < rows; ++row) {
    const std::string label = row == 0          ? absl::StrFormat("%10.4g", bounds.high)
                              : row == rows - 1 ? absl::StrFormat("%10.4g", bounds.low)
                                                : std::string(10, ' ');
    area[row].erase(area[row].find_last_not_of(' ') + 1);
    absl::StrAppend(&text, label, " |", area[row], "\n");
  }
  const std::string first = absl::StrCat(bounds.first_x), last = absl::StrCat(bounds.last_x);
  std::string axis = first;
  if (columns > first.size() + last.size())
    absl::StrAppend(&axis, std::string(columns - first.size() - last.size(), ' '), last);
  else if (first != last)
    absl::StrAppend(&axis, " ", last);
  return absl::StrCat(text, std::string(kAxisColumns, ' '), axis, "\n",
                      std::string(kAxisColumns, ' '), LegendOf(curves), "\n");
}

}  // namespace dl::cli

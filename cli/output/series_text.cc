#include "cli/output/series_text.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "cli/output/chart.h"

namespace dl::cli {
namespace {

using Values = std::vector<std::optional<double>>;

Curve CurveOf(const SeriesCurve& series, const Values& values, const std::string& name, char mark) {
  Curve curve{.name = name, .mark = mark};
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i])
      curve.points.emplace_back(series.first + static_cast<int64_t>(i) * series.step, *values[i]);
  }
  return curve;
}

std::string Cell(const Values& values, size_t entry) {
  return entry < values.size() && values[entry] ? JsonText(Json(*values[entry])) : "";
}

}  // namespace

std::string SeriesText(const SeriesReply& reply) {
  std::string text;
  for (const SeriesCurve& series : reply.curves) {
    std::vector<Curve> curves;
    if (series.step > 1) {
      curves.push_back(CurveOf(series, series.min, "smallest", '.'));
      curves.push_back(CurveOf(series, series.max, "largest", '\''));
    }
    curves.push_back(CurveOf(series, series.mean,
                             series.step > 1
                                 ? absl::StrCat(series.name, ", mean of ", series.step, " rounds")
                                 : series.name,
                             '*'));
    const std::string chart = RenderChart(curves);
    if (!text.empty()) text += '\n';
    absl::StrAppend(&text, chart.empty() ? series.name + " has no value in these rounds" : chart,
                    "\n");
  }
  return text;
}

std::string SeriesCsv(const SeriesReply& reply) {
  std::string text = "round";
  size_t entries = 0;
  for (const SeriesCurve& series : reply.curves) {
    absl::StrAppend(&text, ",", series.name);
    if (series.step > 1) absl::StrAppend(&text, ",", series.name, ":min,", series.name, ":max");
    entries = std::max(entries, series.mean.size());
  }
  text += '\n';
  for (size_t i = 0; i < entries; ++i) {
    const SeriesCurve& axis = reply.curves.front();
    absl::StrAppend(&text, axis.first + static_cast<int64_t>(i) * axis.step);
    for (const SeriesCurve& series : reply.curves) {
      absl::StrAppend(&text, ",", Cell(series.mean, i));
      if (series.step > 1)
        absl::StrAppend(&text, ",", Cell(series.min, i), ",", Cell(series.max, i));
    }
    text += '\n';
  }
  return text;
}

}  // namespace dl::cli

// Formats several jobs next to each other.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "cli/jobs/series_query.h"

namespace dl::cli {

// The curves of one job of a comparison.
struct ComparedCurves {
  std::string job;
  std::vector<SeriesCurve> curves;
};

// Returns a table of results, a chart for each series, and the settings that differ. `comparison`
// is a document of web/documents/job_comparison.h. A chart draws the curves of the first 26 jobs,
// each with a letter of its own. Settings are a table if it fits into kColumns
// (cli/output/table.h), else a list.
std::string ComparisonText(const Json& comparison, const std::vector<ComparedCurves>& curves);

}  // namespace dl::cli

// Formats figures by round as charts and as CSV.
#pragma once

#include <string>

#include "cli/jobs/series_query.h"

namespace dl::cli {

// Returns a chart for each curve, with its smallest and largest values if an entry stands for
// several rounds. A curve without values has a line that states so.
std::string SeriesText(const SeriesReply& reply);

// Returns a line with the names of the columns and a line for each entry: `round`, its first round,
// and the value of each series. If an entry stands for several rounds, a series has the columns
// NAME with the means, NAME:min and NAME:max. A missing value is empty. REQUIRES: all curves have
// the same rounds, as those of one answer have.
std::string SeriesCsv(const SeriesReply& reply);

}  // namespace dl::cli

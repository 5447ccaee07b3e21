// Formats histograms of layers for `history --histograms`.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "cli/jobs/histogram_query.h"

namespace dl::cli {

// Returns a table with a row for each histogram: its name, its round, and its quantiles without
// those of the shares 0 and 1.
std::string HistogramText(const HistogramReply& reply);

// Returns CSV with the columns name, round, values and one for each quantile, named by its share:
// "5%".
std::string HistogramCsv(const HistogramReply& reply);

// Returns the form of the master's answer (docs/formats.md, "Histograms"), with the histograms of
// all its pages. "buckets" is always present; its lists are empty if the query did not ask for
// buckets. `job` is the id of the job.
Json HistogramJson(const std::string& job, const HistogramReply& reply);

}  // namespace dl::cli

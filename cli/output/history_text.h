// Formats the epochs of a job as text, CSV and JSON.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "cli/jobs/job_history.h"

namespace dl::cli {

// Returns a chart of the figure `name` over the epochs, and a table of the figures. The table has
// the columns of `name` first, and then the other columns that fit into kColumns characters
// (cli/output/table.h). If columns do not fit, a last line has their number.
std::string HistoryText(const JobHistory& history, const std::string& name);

// Returns a line with the names of the columns and a line for each epoch. Figures are written as
// in the JSON; a figure that an epoch lacks is empty. Rolled-back epochs are left out.
std::string HistoryCsv(const JobHistory& history);

// Returns {"job","epochs":[{"epoch","round","train":{…},"test":{…}}],"rolled_back":[…]}. An epoch
// without evaluation has no "test".
Json HistoryJson(const std::string& job, const JobHistory& history);

}  // namespace dl::cli

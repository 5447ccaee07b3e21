// Formats executors and jobs for `status` and `list`, as text for 80 columns. Long names and
// messages can make a line longer.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace dl::cli {

// Returns a table with a row for each job in the answer to the query "jobs".
std::string JobTable(const Json& jobs);

// How the kernel contracts of an executor are shown: by instruction set, or in full, which needs
// more than 80 columns.
enum class Contracts { kIsa, kWhole };
// Returns a table with a row for each executor in the answer to the query "cluster". A line for
// each backed-off executor follows. A table of the calls that executors retried comes
// last, if there were any.
std::string ExecutorTable(const Json& cluster, Contracts shown);

// Returns the details of the job in the answer to the query "job": its row of JobTable, the error,
// its figures, and a table of its units.
std::string JobDetails(const Json& job);

}  // namespace dl::cli

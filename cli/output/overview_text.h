// Formats executors and jobs for `status` and `list`, as text of at most 80 columns.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace dl::cli {

// Returns a table with a row for each job in the answer to the query "jobs".
std::string JobTable(const Json& jobs);

// How the kernel contracts of an executor are shown: by instruction set, or in full, which needs
// more than 80 columns.
enum class Contracts { kIsa, kWhole };
// Returns a table with a row for each executor in the answer to the query "cluster". Lines about
// backed-off executors and a table of their retries follow if there are any.
std::string ExecutorTable(const Json& cluster, Contracts shown);

// Returns all details of a job in the answer to the query "job".
std::string JobDetails(const Json& job);

}  // namespace dl::cli

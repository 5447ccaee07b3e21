// What status and list say of executors and jobs, as people read it: within 80 columns.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace dl::cli {

// A row for each of the list, as the query "jobs" answers them.
std::string JobTable(const Json& jobs);

// How the kernel contracts that an executor offers are shown: by their instruction sets, or whole,
// which is wider than 80 columns.
enum class Contracts { kIsa, kWhole };
// A row for each executor of the query "cluster".
std::string ExecutorTable(const Json& cluster, Contracts shown);

// All of one job, as the query "job" answers it.
std::string JobDetails(const Json& job);

}  // namespace dl::cli

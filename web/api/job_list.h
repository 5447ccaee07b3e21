// Pages of the list of jobs, the newest job first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

// All states of jobs. A view of a data folder adds INTERRUPTED to those of the master.
inline constexpr std::string_view kJobStates[] = {
    "QUEUED",     "STARTING",  "RUNNING",   "RECOVERING", "WAITING",  "PAUSING",    "PAUSED",
    "CANCELLING", "SUCCEEDED", "CANCELLED", "FAILED",     "REJECTED", "INTERRUPTED"};

struct JobListRequest {
  int64_t before = 0;  // number of a submission: only jobs submitted before it; 0: all jobs
  int64_t limit = 50;  // most jobs of the page, at least 1
  std::string state;   // only jobs in this state, in upper or lower case; empty: in any state
  // Only jobs with this text, in any case, in id, name, owner or message; empty: all jobs.
  std::string text;
};

// Returns {"jobs": [...], "next_before"}. "next_before" is `before` of the next page, and is absent
// on the last one. A page with a filter may have fewer jobs than `limit`, or none, and a next page.
// Errors are those of rpc::ClientService::Query.
StatusOr<std::string> JobList(rpc::ClientService& master, const JobListRequest& request);

// Returns how long a running job will still take at its speed so far, in seconds. Returns nullopt
// for a job that does not run or has no round yet. `job` is a document of the query `job`.
std::optional<double> SecondsLeft(const Json& job);

}  // namespace dl::web

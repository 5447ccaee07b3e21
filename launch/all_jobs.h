// Reads the list of all jobs of a master, page by page.
#pragma once

#include <cstdint>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::launch {

// Returns an array of all jobs in order of submission. Each job is as the query "jobs" reports it,
// with the text of its remedy added (rpc::AddRemedyTexts). The answers may be up to `max_age_ms`
// old; 0: current. Returns the errors of the query, InvalidArgument if an answer is not JSON, and
// Internal if the master repeats a page.
StatusOr<Json> AllJobs(rpc::ClientService& client, int64_t max_age_ms = 0);

}  // namespace dl::launch

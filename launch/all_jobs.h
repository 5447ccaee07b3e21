// The jobs of a master, page by page.
#pragma once

#include <cstdint>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::launch {

// All of them, as they were submitted: what the query "jobs" tells, which may be so old. Errors of
// the query pass through.
StatusOr<Json> AllJobs(rpc::ClientService& client, int64_t max_age_ms = 0);

}  // namespace dl::launch

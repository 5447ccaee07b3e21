// A summary of a job's datasets, small enough for a page.
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

// Returns {"train", "test"}: the manifests, in which "blocks" is the number of blocks instead of
// their list. "test" is absent if the job has no test set. Errors are those of
// rpc::ClientService::Query.
StatusOr<std::string> DatasetSummary(rpc::ClientService& master, const std::string& job);

}  // namespace dl::web

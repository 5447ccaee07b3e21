// Checks of how a job shares the cluster with other jobs (rpc/scheduling_fields.h).
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "rpc/scheduling_fields.h"

namespace dl::master {

// Returns InvalidArgument for an invalid priority, number of executors or label, or for more than
// limits::kMaxLabels labels or needs. Does not check `after`.
Status CheckScheduling(const rpc::Scheduling& scheduling);
// Checks a list of labels alone. `what` names their owner in the error: "a job".
Status CheckLabels(const std::vector<std::string>& labels, const std::string& what);

}  // namespace dl::master

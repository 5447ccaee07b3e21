// Checks of how a job shares the cluster with other jobs (rpc/scheduling_fields.h).
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "rpc/scheduling_fields.h"

namespace dl::master {

// Returns InvalidArgument for an invalid priority, number of executors or label.
Status CheckScheduling(const rpc::Scheduling& scheduling);
// Checks labels alone. `what` names their owner in the error: "a job".
Status CheckLabels(const std::vector<std::string>& labels, const std::string& what);

}  // namespace dl::master

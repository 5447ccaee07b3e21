// Figures of the master, its executors and its newest jobs in the text format of Prometheus
// (exposition format 0.0.4).
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

// Reads the cluster and the newest jobs, at most 500, and returns their figures. Jobs are counted
// by state. STARTING, RUNNING, RECOVERING and WAITING jobs also have figures of their own. Errors
// are those of rpc::ClientService::Query.
StatusOr<std::string> PrometheusText(rpc::ClientService& master);

}  // namespace dl::web

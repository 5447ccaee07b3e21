// Figures of the master, its executors and its newest jobs in the text format of Prometheus
// (exposition format 0.0.4).
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

// Reads the cluster and the newest jobs, at most 500, and returns their figures. Running jobs have
// figures of their own; all other jobs are only counted by state. Errors are those of
// rpc::ClientService::Query.
StatusOr<std::string> PrometheusText(rpc::ClientService& master);

}  // namespace dl::web

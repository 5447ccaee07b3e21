// Routes about the master as a whole: its executors, its health, and its figures for Prometheus.
#pragma once

#include <vector>

#include "rpc/service.h"
#include "web/api/route.h"

namespace dl::web {

// `master` must outlive the routes.
std::vector<Route> ClusterRoutes(rpc::ClientService& master);

}  // namespace dl::web

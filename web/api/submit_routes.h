// The route that submits a job.
#pragma once

#include <vector>

#include "rpc/service.h"
#include "web/api/route.h"

namespace dl::web {

// `master` must outlive the routes.
std::vector<Route> SubmitRoutes(rpc::ClientService& master);

}  // namespace dl::web

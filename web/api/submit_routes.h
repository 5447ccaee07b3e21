// The route that submits a job.
#pragma once

#include <vector>

#include "rpc/service.h"
#include "web/api/route.h"
#include "web/import_service.h"

namespace dl::web {

// Both services must outlive the routes.
std::vector<Route> SubmitRoutes(rpc::ClientService& master, const ImportService& imports);

}  // namespace dl::web

// Routes that change jobs: cancel, pause, resume, checkpoint, pin, unpin, delete.
#pragma once

#include <vector>

#include "rpc/messages.h"
#include "rpc/service.h"
#include "web/api/route.h"

namespace dl::web {

// `master` must outlive the routes.
std::vector<Route> ActionRoutes(rpc::ClientService& master);

// Performs an action for the caller, and returns the master's sentence about it. Returns
// InvalidArgument if `round` is negative for a pin or unpin, and errors of
// rpc::ClientService::Act.
StatusOr<std::string> Act(rpc::ClientService& master, const security::Identity& caller,
                          rpc::JobActionRequest action);

}  // namespace dl::web

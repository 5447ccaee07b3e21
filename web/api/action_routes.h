// Routes that change jobs: cancel, pause, resume, checkpoint, pin, unpin, delete.
#pragma once

#include <vector>

#include "rpc/messages.h"
#include "rpc/service.h"
#include "web/api/route.h"

namespace dl::web {

// `master` must outlive the routes.
std::vector<Route> ActionRoutes(rpc::ClientService& master);

// Performs an action for the caller, and returns the master's sentence about it. Sets
// `action.request_id` and `action.by`, so each call is an action of its own. Returns
// InvalidArgument if `action.round` is negative for a pin or unpin, errors of
// rpc::ClientService::Act, and an error if the system provides no random bits.
StatusOr<std::string> Act(rpc::ClientService& master, const security::Identity& caller,
                          rpc::JobActionRequest action);

}  // namespace dl::web

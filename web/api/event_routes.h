// The route of a job's events as server-sent events (the standard HTML, section 9.2).
#pragma once

#include <vector>

#include "rpc/service.h"
#include "web/api/event_broadcast.h"
#include "web/api/route.h"

namespace dl::web {

// `master` and `events` must outlive the routes.
std::vector<Route> EventRoutes(rpc::ClientService& master, EventBroadcast& events);

}  // namespace dl::web

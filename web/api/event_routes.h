// The route GET /api/v1/jobs/{job}/events: a job's events as server-sent events (HTML standard,
// section 9.2). An unknown job is an HTTP error. A later error is an event of the type `error`,
// which ends the stream.
#pragma once

#include <vector>

#include "rpc/service.h"
#include "web/api/event_broadcast.h"
#include "web/api/route.h"

namespace dl::web {

// `master` and `events` must outlive the routes.
std::vector<Route> EventRoutes(rpc::ClientService& master, EventBroadcast& events);

}  // namespace dl::web

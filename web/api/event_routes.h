// The route GET /api/v1/jobs/{job}/events: a job's events as server-sent events (HTML standard,
// section 9.2). An unknown job is an HTTP error. A later error is an event of the type `error`,
// which ends the stream. A stream ends within 10 s after the end of the token or session of its
// request.
#pragma once

#include <vector>

#include "rpc/service.h"
#include "web/access/access_rules.h"
#include "web/api/event_broadcast.h"
#include "web/api/route.h"

namespace dl::web {

// The objects must outlive the routes.
std::vector<Route> EventRoutes(rpc::ClientService& master, EventBroadcast& events,
                               const AccessRules& access);

}  // namespace dl::web

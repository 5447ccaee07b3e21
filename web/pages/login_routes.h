// Routes of the pages for logging in and out.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "web/access/access_rules.h"
#include "web/access/browser_sessions.h"
#include "web/api/route.h"
#include "web/pages/page.h"

namespace dl::web {

// Records an attempt to log in with a token or a code. `result` is "ok" or "denied". If it is
// "denied", `who` is the default: unknown.
using RecordLogin =
    std::function<void(const Call& call, const security::Identity& who, std::string_view result)>;

// Returns the routes, which call `record` on the thread that answers. The other arguments must
// outlive the routes.
std::vector<Route> LoginRoutes(const AccessRules& access, BrowserSessions& sessions,
                               const PageSettings& settings, const RecordLogin& record);

}  // namespace dl::web

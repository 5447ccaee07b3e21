// Routes of the pages for logging in and out.
#pragma once

#include <vector>

#include "web/access/access_rules.h"
#include "web/access/browser_sessions.h"
#include "web/api/route.h"
#include "web/pages/page.h"

namespace dl::web {

// Returns the routes. All arguments must outlive them.
std::vector<Route> LoginRoutes(const AccessRules& access, BrowserSessions& sessions,
                               const PageSettings& settings);

}  // namespace dl::web

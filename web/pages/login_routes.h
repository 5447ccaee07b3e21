// Logging in and out in a browser.
#pragma once

#include <vector>

#include "web/access/access_rules.h"
#include "web/access/browser_sessions.h"
#include "web/api/route.h"
#include "web/pages/page.h"

namespace dl::web {

// The objects must outlive the routes.
std::vector<Route> LoginRoutes(const AccessRules& access, BrowserSessions& sessions,
                               const PageSettings& settings);

}  // namespace dl::web

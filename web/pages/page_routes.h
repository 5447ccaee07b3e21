// Routes of the pages for people.
#pragma once

#include <string_view>
#include <vector>

#include "rpc/service.h"
#include "web/api/route.h"
#include "web/model_service.h"
#include "web/pages/page.h"

namespace dl::web {

// `master`, `models` and `settings` must outlive the routes. Without `models` (null), pages show no
// examples of data and evaluate no checkpoints.
std::vector<Route> PageRoutes(rpc::ClientService& master, ModelService* models,
                              const PageSettings& settings);

// Routes of the scripts, styles and pictures of the pages, which everyone may read.
std::vector<Route> AssetRoutes();

// Returns whether the text is a path on this server, so that a redirection to it cannot lead to
// another site. Does not check that a page with this path exists.
bool IsLocalPath(std::string_view path);

}  // namespace dl::web

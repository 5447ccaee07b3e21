// Uploads of files that the master imports.
#pragma once

#include <vector>

#include "web/api/route.h"
#include "web/import_service.h"

namespace dl::web {

// The service must outlive the routes.
std::vector<Route> ImportRoutes(ImportService& imports);

}  // namespace dl::web

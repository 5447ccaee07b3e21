// The description of the API in the form of OpenAPI 3.1, made from the table of routes.
#pragma once

#include <string>
#include <vector>

#include "web/api/route.h"

namespace dl::web {

// Returns the document for all routes except those of AnswerKind::kPage. `version` is that of the
// program.
std::string OpenApiDocument(const std::vector<Route>& routes, std::string_view version);

}  // namespace dl::web

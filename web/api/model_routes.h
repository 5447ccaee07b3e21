// Routes about trained models and their data: the file of a checkpoint, predictions,
// evaluations, and examples.
#pragma once

#include <vector>

#include "rpc/service.h"
#include "web/api/route.h"
#include "web/model_service.h"

namespace dl::web {

// `master` and `models` must outlive the routes.
std::vector<Route> ModelRoutes(rpc::ClientService& master, ModelService& models);

}  // namespace dl::web

// Routes that receive the blocks of datasets, as MissingBlocks and PutBlocks of rpc/service.h do.
#pragma once

#include <vector>

#include "rpc/service.h"
#include "web/api/route.h"

namespace dl::web {

// `master` must outlive the routes. A block whose content does not hash to its name is refused, so
// a client may repeat an upload and need not know how an earlier one ended.
std::vector<Route> BlockRoutes(rpc::ClientService& master);

}  // namespace dl::web

// Several jobs next to each other.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

// Most jobs of a comparison.
inline constexpr size_t kMostCompared = 100;

// Returns {"jobs","settings","same"}: the documents of the jobs in `jobs`, and the settings that
// differ (DifferencesDocument). Reads the specs. Errors are those of rpc::ClientService::Query.
StatusOr<Json> Comparison(rpc::ClientService& master, std::vector<Json> jobs);

}  // namespace dl::web

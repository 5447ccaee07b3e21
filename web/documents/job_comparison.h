// Several jobs next to each other.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

// Most jobs of a comparison. The callers of Comparison check it.
inline constexpr size_t kMaxCompared = 100;

// Returns {"jobs","settings","same"}: `jobs`, which are documents of jobs, and the settings that
// differ between them (DifferencesDocument). Reads the specs of the jobs from the master. Errors
// are those of rpc::ClientService::Query.
StatusOr<Json> Comparison(rpc::ClientService& master, std::vector<Json> jobs);

}  // namespace dl::web

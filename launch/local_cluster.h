// local[N]: master and executor as threads of this process, the same code, no socket between them.
#pragma once

#include "launch/cluster.h"

namespace dl::launch {

StatusOr<std::unique_ptr<Cluster>> OpenLocal(const ClusterOptions& options);

}  // namespace dl::launch

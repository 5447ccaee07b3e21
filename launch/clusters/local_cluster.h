// local[N]: master and executor run as threads of this process, with the same code as on other
// clusters. They exchange calls and states without a socket.
#pragma once

#include "launch/clusters/cluster.h"

namespace dl::launch {

// Starts the master. Cluster::StartExecutors starts the executor. Errors are those of
// Cluster::Open.
StatusOr<std::unique_ptr<Cluster>> OpenLocal(const ClusterOptions& options);

}  // namespace dl::launch

// local-cluster[N]: a master process and N executor processes on loopback.
#pragma once

#include "launch/clusters/cluster.h"

namespace dl::launch {

// Starts the master and connects to it. Cluster::StartExecutors starts the executors. Errors are
// those of Cluster::Open.
StatusOr<std::unique_ptr<Cluster>> OpenProcesses(const ClusterOptions& options);

}  // namespace dl::launch

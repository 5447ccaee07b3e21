// local-cluster[N]: a master process and N executor processes on loopback.
#pragma once

#include "launch/clusters/cluster.h"

namespace dl::launch {

// Opens the cluster. Errors are those of Cluster::Open.
StatusOr<std::unique_ptr<Cluster>> OpenProcesses(const ClusterOptions& options);

}  // namespace dl::launch

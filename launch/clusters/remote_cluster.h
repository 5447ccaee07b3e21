// dl://host:port: connects to a standing cluster.
#pragma once

#include "launch/clusters/cluster.h"

namespace dl::launch {

// Connects to the master of the target. Errors are those of ConnectAs.
StatusOr<std::unique_ptr<Cluster>> ConnectRemote(const ClusterOptions& options);

}  // namespace dl::launch

// dl://host:port: a client of a standing cluster.
#pragma once

#include "launch/cluster.h"

namespace dl::launch {

StatusOr<std::unique_ptr<Cluster>> ConnectRemote(const ClusterOptions& options);

}  // namespace dl::launch

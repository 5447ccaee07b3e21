// dl://host:port: a standing cluster, which exists before and after this process.
#pragma once

#include "launch/clusters/cluster.h"

namespace dl::launch {

// Returns a handle of the cluster at `options.target`. Reads the credentials, but opens no
// connection: each call through client() connects if needed. Returns the errors of ConnectAs
// (launch/credentials.h).
StatusOr<std::unique_ptr<Cluster>> ConnectRemote(const ClusterOptions& options);

}  // namespace dl::launch

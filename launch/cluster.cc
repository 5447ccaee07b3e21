#include "launch/cluster.h"

#include "launch/local_cluster.h"
#include "launch/process_cluster.h"
#include "launch/remote_cluster.h"

namespace dl::launch {

StatusOr<std::unique_ptr<Cluster>> Cluster::Start(const ClusterOptions& options) {
  switch (options.target.kind) {
    case Target::Kind::kLocal:
      return StartLocal(options);
    case Target::Kind::kLocalCluster:
      return StartProcesses(options);
    case Target::Kind::kRemote:
      return ConnectRemote(options);
  }
  return Internal({.message = "unknown kind of cluster"});
}

}  // namespace dl::launch

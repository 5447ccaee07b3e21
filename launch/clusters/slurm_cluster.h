// slurm[N] inside its allocation: a master process on the first node, and N executors that srun
// starts on the nodes of the allocation.
#pragma once

#include "launch/clusters/cluster.h"

namespace dl::launch {

// Opens the cluster. Returns InvalidArgument outside of an allocation; other errors are those of
// Cluster::Open.
StatusOr<std::unique_ptr<Cluster>> OpenInAllocation(const ClusterOptions& options);

}  // namespace dl::launch

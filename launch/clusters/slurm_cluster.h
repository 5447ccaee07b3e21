// The cluster of slurm[N] inside its allocation: a master process on the node of the calling
// process, and N executors that srun starts on the nodes of the allocation. A batch job runs on the
// first node.
#pragma once

#include "launch/clusters/cluster.h"

namespace dl::launch {

// Starts the master and connects to it. Cluster::StartExecutors starts the executors. Returns
// InvalidArgument if the process does not run on a node of an allocation; other errors are those of
// Cluster::Open. REQUIRES: `options.target` is the target of a batch job (Target::folder).
StatusOr<std::unique_ptr<Cluster>> OpenInAllocation(const ClusterOptions& options);

}  // namespace dl::launch

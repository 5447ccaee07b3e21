// slurm[N] from inside its allocation: a master process on the first node, and N executors that
// srun starts on all of them.
#pragma once

#include "launch/cluster.h"

namespace dl::launch {

// InvalidArgument outside of an allocation; else as Cluster::Open.
StatusOr<std::unique_ptr<Cluster>> OpenInAllocation(const ClusterOptions& options);

}  // namespace dl::launch

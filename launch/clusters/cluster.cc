#include "launch/clusters/cluster.h"

#include "absl/strings/str_cat.h"
#include "launch/clusters/local_cluster.h"
#include "launch/clusters/mpi_cluster.h"
#include "launch/clusters/process_cluster.h"
#include "launch/clusters/remote_cluster.h"
#include "launch/clusters/slurm_cluster.h"

namespace dl::launch {

StatusOr<std::unique_ptr<Cluster>> Cluster::Open(const ClusterOptions& options) {
  switch (options.target.kind_) {
    case Target::Kind::kLocal:
      return OpenLocal(options);
    case Target::Kind::kLocalCluster:
      return OpenProcesses(options);
    case Target::Kind::kRemote:
      return ConnectRemote(options);
    case Target::Kind::kSlurmBatch:
      return OpenInAllocation(options);
    case Target::Kind::kMpi:
      return OpenMpi(options);
    case Target::Kind::kSlurm:
      return InvalidArgument(
          {.message =
               absl::StrCat("on ", options.target.ToString(), " only run and resume compute"),
           .where = "--master",
           .remedy = "Continue the job: dl-submit resume, with the same --master"});
  }
  return Internal({.message = "unknown kind of cluster"});
}

StatusOr<std::unique_ptr<Cluster>> Cluster::Start(const ClusterOptions& options) {
  DL_ASSIGN_OR_RETURN(std::unique_ptr<Cluster> cluster, Open(options));
  DL_RETURN_IF_ERROR(cluster->StartExecutors({}));
  return cluster;
}

}  // namespace dl::launch

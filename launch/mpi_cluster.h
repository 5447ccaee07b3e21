// --master mpi: rank 0 of an MPI launch is the master and the client, all other ranks are
// executors.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "launch/cluster.h"
#include "launch/mpi_rank.h"

namespace dl::launch {

// The cluster of rank 0. InvalidArgument outside of a launch and where there is no other rank; else
// as Cluster::Open.
StatusOr<std::unique_ptr<Cluster>> OpenMpi(const ClusterOptions& options);

// How long another rank waits for the master of rank 0.
inline constexpr std::chrono::seconds kMpiMeetingLimit{600};

struct MpiExecutorOptions {
  MpiRank rank;
  std::string data_dir;                     // shared with rank 0
  std::string program;                      // dl-submit; empty: the one beside this executable
  const std::atomic<bool>* stop = nullptr;  // set by a signal
};
// The executor of another rank: waits for the master of rank 0, and computes for it until that
// ends. Unavailable where no master comes within kMpiMeetingLimit, and where the executor
// does not stay up.
Status RunMpiExecutor(const MpiExecutorOptions& options);

}  // namespace dl::launch

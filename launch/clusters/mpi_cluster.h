// --master mpi: rank 0 of an MPI launch is the client and starts the master. Each other rank starts
// an executor.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "launch/clusters/cluster.h"
#include "launch/clusters/mpi_rank.h"

namespace dl::launch {

// Starts the master in rank 0 and connects to it. Returns InvalidArgument outside of an MPI launch,
// and if the launcher reports a single process. Other errors are those of Cluster::Open.
StatusOr<std::unique_ptr<Cluster>> OpenMpi(const ClusterOptions& options);

// How long another rank waits for the master of rank 0.
inline constexpr std::chrono::seconds kMpiMeetingLimit{600};

struct MpiExecutorOptions {
  MpiRank rank;
  std::string data_dir;                     // shared with rank 0
  std::string program;                      // dl-submit; empty: the one next to this executable
  const std::atomic<bool>* stop = nullptr;  // set by a signal; REQUIRES: not null
};
// Runs the executor of another rank: waits for the master of rank 0, and computes until rank 0
// removes the file of the meeting (mpi_meeting.h). Returns OK then, and after `stop`. Returns
// Unavailable if no master appears within kMpiMeetingLimit or if the executor keeps crashing. Also
// returns errors of DlSubmitProgram, ReadMpiMeeting and SupervisedProcess::Start.
Status RunMpiExecutor(const MpiExecutorOptions& options);

}  // namespace dl::launch

// The ranks of an MPI launch other than 0, which compute for the command on rank 0.
#pragma once

#include <optional>

#include "base/status.h"
#include "cli/settings.h"
#include "launch/clusters/target.h"

namespace dl::cli {

// If --master is mpi and this process is not rank 0, computes until rank 0 ends and returns the
// exit code: 0, or that of a signal. Returns nullopt for rank 0, for a process without a rank, and
// for all other targets; the command then continues. Errors are those of FindMpiRank, StateDir and
// RunMpiExecutor.
StatusOr<std::optional<int>> JoinMpiMaster(const launch::Target& target, const Settings& settings);

}  // namespace dl::cli

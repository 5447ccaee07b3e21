// The ranks of an MPI launch that compute for the command on rank 0.
#pragma once

#include <optional>

#include "base/status.h"
#include "cli/settings.h"
#include "launch/target.h"

namespace dl::cli {

// Computes until rank 0 ends, and returns the exit code, if --master is mpi and this process is
// another rank. Returns nullopt for rank 0 and for every other target: the command goes on.
StatusOr<std::optional<int>> JoinMpiMaster(const launch::Target& target, const Settings& settings);

}  // namespace dl::cli

// The place of this process among the processes of an MPI or PMI launcher (mpirun, mpiexec, srun,
// jsrun, aprun). Paravane does not link MPI. Launchers put the numbers into the environment.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"

namespace dl::launch {

struct MpiRank {
  int64_t rank = 0;             // from 0
  int64_t processes = 0;        // all; 0 where the launcher does not say it
  int64_t local_processes = 1;  // on this machine, this one counted

  // Whether no rank is on another machine.
  bool AllAreHere() const { return processes > 0 && processes == local_processes; }
};

// Returns the value of an environment variable, "" where it is not set.
using EnvironmentReader = std::function<std::string(const char* name)>;

// Reads the rank from the first variable that is set: OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK,
// SLURM_PROCID. nullopt where none is set. InvalidArgument for a number that cannot be one.
StatusOr<std::optional<MpiRank>> FindMpiRank(const EnvironmentReader& environment);
// Of this process.
StatusOr<std::optional<MpiRank>> FindMpiRank();

}  // namespace dl::launch

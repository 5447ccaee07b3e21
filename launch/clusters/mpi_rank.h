// The rank of this process among the processes of an MPI or PMI launcher (mpirun, mpiexec, srun,
// jsrun). Launchers put it into the environment, so Paravane does not link MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"

namespace dl::launch {

struct MpiRank {
  int64_t rank = 0;       // counted from 0
  int64_t processes = 0;  // number of all processes; 0 if the launcher does not report it
  // Number of processes on this machine, including this one. If only Slurm reports numbers, the
  // largest number on any machine of the job. If nothing reports it, equal to `processes`. At
  // least 1.
  int64_t local_processes = 1;
  bool knows_local_processes = false;  // the launcher or Slurm reports the number
  // Returns whether it is known that all ranks are on this machine.
  bool AllAreHere() const {
    return knows_local_processes && processes > 0 && processes == local_processes;
  }
};

// Returns the value of an environment variable, "" if it is not set.
using EnvironmentReader = std::function<std::string(const char* name)>;

// Reads the rank from the first variable that is set: OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK,
// SLURM_PROCID. Other variables of the launchers give the numbers of processes. Returns nullopt if
// no rank is set, and InvalidArgument if a number is not valid or the rank is not below the number
// of processes.
StatusOr<std::optional<MpiRank>> FindMpiRank(const EnvironmentReader& environment);
// Does the same with the environment of this process.
StatusOr<std::optional<MpiRank>> FindMpiRank();

}  // namespace dl::launch

// Where a job runs: the value of --master.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::launch {

struct Target {
  enum class Kind {
    kLocal,         // local[N], local[*]: master and N slots in this process
    kLocalCluster,  // local-cluster[N]: a master process and N executor processes on loopback
    kRemote,        // dl://host:port: a standing cluster
    kSlurm,         // slurm[N]: N executors, and their master, as one batch job of Slurm
    kSlurmBatch,    // slurm-batch[N]@FOLDER: the same from inside, what its batch script says
  };
  Kind kind = Kind::kLocal;
  int32_t count = 1;  // slots or executors; local[*] is one per core of this process
  std::string host;
  int32_t port = 0;
  std::string folder;  // kSlurmBatch: of this run (launch/slurm_run.h), absolute

  std::string ToString() const;
};

// InvalidArgument says what was expected.
StatusOr<Target> ParseTarget(std::string_view text);

}  // namespace dl::launch

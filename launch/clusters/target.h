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
    kSlurm,         // slurm[N]: N executors and their master as one batch job of Slurm
    kSlurmBatch,    // slurm-batch[N]@FOLDER: inside of this batch job, as used in its script
    kMpi,           // mpi: the processes of an MPI launcher; rank 0 is the master
  };
  Kind kind = Kind::kLocal;
  int32_t count = 1;  // slots or executors; local[*] is one per core of this process
  std::string host;
  int32_t port = 0;
  // kSlurmBatch: absolute path of the folder of this run (launch/clusters/slurm_run_folder.h).
  std::string folder;

  // dl://: the cluster continues without the command. Every other cluster ends with it.
  bool is_standing() const { return kind == Kind::kRemote; }
  bool starts_executors() const { return !is_standing() && !is_batch(); }
  // The command may end while its jobs continue.
  bool can_detach() const { return is_standing(); }
  // A batch system runs the command again, on nodes that it allocates.
  bool is_batch() const { return kind == Kind::kSlurm; }
  // The command runs on such nodes, and ends when the batch system takes them back.
  bool is_in_batch() const { return kind == Kind::kSlurmBatch; }
  // All slots belong to one executor.
  bool has_one_executor() const { return kind == Kind::kLocal; }
  bool is_mpi() const { return kind == Kind::kMpi; }

  std::string ToString() const;
};

// Parses a target. Returns InvalidArgument, which lists the valid forms, for other text.
StatusOr<Target> ParseTarget(std::string_view text);

}  // namespace dl::launch

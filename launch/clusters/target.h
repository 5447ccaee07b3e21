// The place where a job runs: the parsed value of --master.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::launch {

class Target {
 public:
  // local[N]: the master and N slots of one executor in this process.
  static Target Local(int32_t slots) { return {Kind::kLocal, slots}; }
  // slurm-batch[N]@FOLDER: inside of the batch job that a command with slurm[N] submitted.
  // `folder`: absolute path of the folder of this run (launch/clusters/slurm_run_folder.h).
  static Target SlurmBatch(int32_t executors, std::string folder);

  // Number of slots of local[N], else number of executors. 1 for standing clusters and MPI.
  int32_t count() const { return count_; }
  // Address of a standing master; empty and 0 for other targets.
  const std::string& host() const { return host_; }
  int32_t port() const { return port_; }
  // Folder of the run in a batch job; empty for other targets.
  const std::string& folder() const { return folder_; }

  // dl://: the cluster exists before the command, and continues after it.
  bool is_standing() const { return kind_ == Kind::kRemote; }
  // Cluster::StartExecutors starts executors, or lets those of an MPI launch join.
  bool starts_executors() const { return !is_standing() && !is_batch(); }
  // The command may end while its jobs continue.
  bool can_detach() const { return is_standing(); }
  // A batch system runs the command again, on nodes that it allocates.
  bool is_batch() const { return kind_ == Kind::kSlurm; }
  // The command runs on such nodes, and ends when the batch system takes them back.
  bool is_in_batch() const { return kind_ == Kind::kSlurmBatch; }
  // All slots belong to one executor.
  bool has_one_executor() const { return kind_ == Kind::kLocal; }
  bool is_mpi() const { return kind_ == Kind::kMpi; }
  // The command can have a web server for its jobs (ClusterOptions::http_port). For local-cluster,
  // the master process serves the pages.
  bool has_pages() const { return kind_ == Kind::kLocal || kind_ == Kind::kLocalCluster; }

  // Returns the value of --master that gives this target. The number of local[*] is written out.
  std::string ToString() const;

 private:
  friend class Cluster;  // opens the kind of cluster
  friend StatusOr<Target> ParseTarget(std::string_view text);

  enum class Kind {
    kLocal,         // local[N], local[*]: master and N slots in this process
    kLocalCluster,  // local-cluster[N]: a master process and N executor processes on loopback
    kRemote,        // dl://host:port: a standing cluster
    kSlurm,         // slurm[N]: N executors and their master as one batch job of Slurm
    kSlurmBatch,    // slurm-batch[N]@FOLDER: inside of this batch job, as used in its script
    kMpi,           // mpi: the processes of an MPI launcher; rank 0 is the master
  };

  Target(Kind kind, int32_t count) : kind_(kind), count_(count) {}

  Kind kind_;
  int32_t count_;
  std::string host_;
  int32_t port_ = 0;
  std::string folder_;
};

// Parses a target in one of the forms of Target::Kind; "local" is local[1]. Returns
// InvalidArgument for other text. The error lists all forms except slurm-batch, which users do not
// write. If the text begins with dl://, the error is that of rpc::ParseEndpoint.
StatusOr<Target> ParseTarget(std::string_view text);

}  // namespace dl::launch

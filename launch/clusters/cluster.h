// A running cluster as a client sees it, the same for all targets.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "launch/clusters/target.h"
#include "launch/credentials.h"
#include "rpc/service.h"

namespace dl::launch {

struct ClusterOptions {
  Target target = Target::Local(1);
  std::string data_dir;  // of the master; unused for dl://
  // The dl-submit binary that process clusters start. Empty: the binary next to this executable.
  std::string program;
  CredentialSources credentials;  // for dl://
  // local[N]: what to do if the disk of the data folder is full.
  enum class FullDisk {
    kRefuse,    // open nothing, because the command needs space
    kRead,      // open the folder read-only
    kMakeRoom,  // delete reserves and caches first; for commands that free space
  };
  FullDisk full_disk = FullDisk::kRefuse;
  std::string log_dir;  // local-cluster: folder for the logs of the processes; empty: data_dir/logs
};

// The destructor stops what the object started. Executors leave, and the master ends after it has
// written last checkpoints.
class Cluster {
 public:
  virtual ~Cluster() = default;
  // Opens the master. It answers calls, but no executor has been started. Errors include
  // FailedPrecondition if another process uses the data folder, and Unavailable if no master
  // answers at dl://...
  static StatusOr<std::unique_ptr<Cluster>> Open(const ClusterOptions& options);
  // Calls Open and StartExecutors, with the best instruction set of this machine.
  static StatusOr<std::unique_ptr<Cluster>> Start(const ClusterOptions& options);

  // Starts the executors of the target. They compute with instruction set `isa` ("": the best of
  // the machine). Does nothing for a standing cluster, which has its own executors. Must be called
  // at most once.
  virtual Status StartExecutors(const std::string& isa) = 0;

  virtual rpc::ClientService& client() = 0;
  // Returns OK while the cluster works, else the reason why its master ended.
  virtual Status Health() = 0;
};

}  // namespace dl::launch

// A running cluster as a client sees it, whatever it consists of.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "launch/credentials.h"
#include "launch/target.h"
#include "rpc/service.h"

namespace dl::launch {

struct ClusterOptions {
  Target target;
  std::string data_dir;  // the master's; unused for dl://
  std::string program;   // processes: the dl-submit binary to start; empty: the one beside this
                         // executable
  CredentialSources credentials;  // dl://
  // local[N]: what is opened where the disk of the data folder is full.
  enum class FullDisk {
    kRefuse,    // nothing: the command needs room
    kRead,      // the folder is only read
    kMakeRoom,  // reserves and caches are deleted first: for what gives space back
  };
  FullDisk full_disk = FullDisk::kRefuse;
  std::string log_dir;  // local-cluster: where the processes write their logs; empty: data_dir/logs
};

// Its end stops what it started: executors and the master leave, it with last checkpoints.
class Cluster {
 public:
  virtual ~Cluster() = default;
  // The master: it answers, and nothing is computed yet. FailedPrecondition (another process uses
  // the data folder), Unavailable (nobody answers at dl://...), and so on.
  static StatusOr<std::unique_ptr<Cluster>> Open(const ClusterOptions& options);
  // Open and StartExecutors, with the best instruction set of this machine.
  static StatusOr<std::unique_ptr<Cluster>> Start(const ClusterOptions& options);

  // The executors of the target, which compute with `isa` ("" for the best of the machine); a
  // standing cluster has its own, and nothing happens. Call it once.
  virtual Status StartExecutors(const std::string& isa) = 0;

  virtual rpc::ClientService& client() = 0;
  // OK while it works; the reason when its master ended.
  virtual Status Health() = 0;
};

}  // namespace dl::launch

// A running cluster as a client sees it, the same for all targets.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "launch/clusters/target.h"
#include "launch/credentials.h"
#include "launch/kernel_contracts.h"
#include "rpc/service.h"

namespace dl::web {
class ModelService;
}  // namespace dl::web

namespace dl::launch {

struct ClusterOptions {
  Target target = Target::Local(1);
  std::string data_dir;  // of the master; unused for dl://
  // The dl-submit binary that process clusters start. Empty: the binary next to this executable.
  std::string program;
  CredentialSources credentials;  // for dl://
  // local[N]: what to do if the disk of the data folder is full.
  enum class FullDisk {
    kRefuse,    // return an error from Open or from a later write; for commands that need space
    kRead,      // open the folder read-only
    kMakeRoom,  // delete reserves and caches first; for commands that free space
  };
  FullDisk full_disk = FullDisk::kRefuse;
  // local[N], local-cluster[N]: port of the web server, 0 for any free port. nullopt: there is
  // none.
  std::optional<int> http_port;
  // local[N]: models for the web server (inference/serving/served_models.h). Null: it has no
  // predictions and no downloads. Must outlive the cluster.
  web::ModelService* models = nullptr;
  // local[N]: CoreOptions::records_history of the master.
  bool records_history = true;
  std::string log_dir;  // local-cluster: folder for the logs of the processes; empty: data_dir/logs
};

// The destructor stops what the object started. Executors leave, and the master ends after it has
// written last checkpoints.
class Cluster {
 public:
  virtual ~Cluster() = default;
  // Opens the master. It answers calls, but no executor has been started. For dl://host:port, only
  // reads the credentials; the first call through client() connects. Errors include:
  //   - FailedPrecondition if another process uses the data folder.
  //   - Unavailable if a master process does not start.
  //   - InvalidArgument for slurm[N], whose cluster exists only in its batch job, and for a target
  //     outside of its allocation or MPI launch.
  //   - for dl://host:port, errors of ConnectAs (launch/credentials.h).
  static StatusOr<std::unique_ptr<Cluster>> Open(const ClusterOptions& options);
  // Calls Open and StartExecutors({}). Returns their errors.
  static StatusOr<std::unique_ptr<Cluster>> Start(const ClusterOptions& options);

  // Starts the executors of the target; for mpi, lets the other processes of the launch join. They
  // compute with these kernels. Returns FailedPrecondition if this machine computes and lacks them.
  // Without an instruction set each executor uses the best of its machine. Does nothing for a
  // standing cluster, which has its own executors. For local[N], also starts the web server. From
  // then on, other commands with the same data folder can query this process. Returns the first
  // error with which an executor or the web server could not be started. Must be called at most
  // once.
  virtual Status StartExecutors(const KernelChoice& kernels) = 0;

  // Returns the master's service for clients. Valid while this object lives.
  virtual rpc::ClientService& client() = 0;
  // Returns the owner of jobs that this process submits, for dl://. Empty before the first call
  // over client() has connected, and for all other targets, whose jobs belong to this user.
  virtual std::string owner() const { return ""; }
  // Returns the address of the first page of the web server, with a code that logs one browser in.
  // Empty if there is no web server, and for local[N] before StartExecutors.
  virtual std::string page() const { return ""; }
  // Returns an error if the master has ended, or if an executor that this object started keeps
  // crashing. Restarts executor processes that have ended. Always OK for dl://, because its master
  // may come back.
  virtual Status Health() = 0;
};

}  // namespace dl::launch

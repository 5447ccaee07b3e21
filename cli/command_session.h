// The connection of a command with the master that its settings select.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "cli/output/progress_bar.h"
#include "cli/settings.h"
#include "launch/clusters/cluster.h"

namespace dl::cli {

// Options for a data folder. Ignored for a standing master, which has its own folder.
struct SessionOptions {
  enum class Folder { kMustExist, kCreate };
  Folder folder = Folder::kMustExist;
  // If another process holds the folder: whether to connect to it, if possible, or to refuse.
  enum class Holder { kAsk, kRefuse };
  Holder holder = Holder::kAsk;
  // kNone: StartExecutors is not called, and a data folder is opened as local[1], whatever --master
  // names. kAsTarget: the cluster that --master names is opened.
  enum class Executors { kNone, kAsTarget };
  Executors executors = Executors::kNone;
  launch::ClusterOptions::FullDisk full_disk = launch::ClusterOptions::FullDisk::kRefuse;
  std::optional<int> http_port = {};  // see ClusterOptions
};
// For commands about executors, such as `cluster status` and `cluster drain`.
inline constexpr SessionOptions kSessionToQuery = {};
// For commands that change nothing. They also work if the disk is full.
inline constexpr SessionOptions kSessionToRead = {.full_disk =
                                                      launch::ClusterOptions::FullDisk::kRead};
// For actions on jobs and checkpoints, which may free space on a full disk.
inline constexpr SessionOptions kSessionToAct = {.full_disk =
                                                     launch::ClusterOptions::FullDisk::kMakeRoom};
// For commands that wait for a job. On a local cluster, the command itself computes the job.
inline constexpr SessionOptions kSessionToFollow = {.executors =
                                                        SessionOptions::Executors::kAsTarget};
// For `import`.
inline constexpr SessionOptions kSessionToStore = {.folder = SessionOptions::Folder::kCreate};
// For `resume`.
inline constexpr SessionOptions kSessionToResume = {
    .holder = SessionOptions::Holder::kRefuse, .executors = SessionOptions::Executors::kAsTarget};
// For `run` and `submit`.
inline constexpr SessionOptions kSessionToRun = {.folder = SessionOptions::Folder::kCreate,
                                                 .holder = SessionOptions::Holder::kRefuse,
                                                 .executors = SessionOptions::Executors::kAsTarget};

struct Session {
  launch::Target target = launch::Target::Local(1);
  std::string data_dir;  // opened by this session; empty if a running master is asked
  // The data folder, if a running master holds it and is asked instead (Holder::kAsk); else empty.
  // `target` is then the address of this master.
  std::string master_folder;
  NextSteps next;
  // Models for the web pages of the member `cluster`; null without SessionOptions::http_port. A
  // shared pointer only because std::unique_ptr would need the complete type.
  std::shared_ptr<web::ModelService> models;
  std::unique_ptr<launch::Cluster> cluster;

  rpc::ClientService& client() { return cluster->client(); }
  // Returns whether a running master is asked.
  bool is_remote() const { return target.is_standing(); }
};

// Parses --master. An invalid value is a UsageError if a flag gave it. If an environment variable
// or a config file gave it, the error has exit code 78.
StatusOr<launch::Target> TargetOf(const Setting& master);
// Returns the settings of tokens and certificates.
launch::CredentialSources CredentialsOf(const Settings& settings);
// Returns an error if a client certificate or its key is given alone. Its exit code depends on the
// origin of the setting, as that of TargetOf.
Status CheckCertificate(const Settings& settings);
// Returns UsageError for --detach unless the cluster is standing: a local cluster ends with the
// command, and a job on Slurm is followed to its end. The remedy names the standing master that has
// the data folder, if there is one. Also returns errors of TargetOf.
Status CheckDetach(const Settings& settings);

// Opens the session. This process computes no unit before StartExecutors or ComputeJob is called.
// Errors:
//   - UsageError for flags that exclude each other.
//   - NotFound if the folder must exist and no master has used it.
//   - FailedPrecondition if a process that must not or cannot be asked holds the folder.
//   - errors of TargetOf, Cluster::Open and the file system.
StatusOr<Session> OpenSession(const Settings& settings, const SessionOptions& options);

// InUseUntil when OpenSession refuses the data folder of a local --master.
struct FolderUse {
  enum class InUseUntil {
    // No process holds the folder any more, or a master whose command is unknown holds it. This
    // master stays, or is about to end. The caller should look again.
    kUnclear,
    kCommandEnds,  // in_use_until a command ends that computes in the folder
    // The error has another cause than a holder: --master is invalid or names a standing master, or
    // the path of the data folder is unknown.
    kStays,
  };
  InUseUntil in_use_until = InUseUntil::kStays;
  std::string who;  // for kCommandEnds: "process PID (COMMAND)" or "another process"
};
// Looks up the current holder of the data folder after OpenSession refused the folder.
FolderUse FindFolderHolder(const Settings& settings);

// Returns the reason for a failed call. If the master of a local cluster has ended, this is
// reported instead of a missing answer.
Status ReasonOf(Session& session, const Status& failed);

// Starts executors that compute with these kernels. Kernels that this machine lacks are an error
// with exit code 1.
Status StartExecutors(Session& session, const launch::KernelChoice& kernels);
// Returns the training.isa and the training.precision of a job. Errors are those of the master.
StatusOr<launch::KernelChoice> StatedKernels(Session& session, const std::string& job);
// Returns the kernels for a job in the form of QueryJob: those of its kernel contract, or
// StatedKernels if it has none yet. If this machine does not offer the contract, the error has exit
// code 1. Other errors are those of the master.
StatusOr<launch::KernelChoice> KernelsOfJob(Session& session, const Json& job);
// Starts executors for a job in the form of QueryJob. Does nothing if the job has ended or the
// cluster is standing. Returns the errors of KernelsOfJob and StartExecutors.
Status ComputeJob(Session& session, const Json& job);

}  // namespace dl::cli

// What a command works with: the master that its settings lead to.
#pragma once

#include <memory>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "cli/progress_bar.h"
#include "cli/settings.h"
#include "launch/cluster.h"

namespace dl::cli {

// What a command wants of a data folder, where --master is local; a standing cluster is asked
// anyway.
struct SessionOptions {
  enum class Folder { kMustExist, kCreate };
  Folder folder = Folder::kMustExist;
  // Whether a master that has the folder already is asked instead, if it can be.
  enum class Holder { kAsk, kRefuse };
  Holder holder = Holder::kAsk;
  // Whether executors may be started; one that only asks opens a master alone.
  enum class Executors { kNone, kAsTarget };
  Executors executors = Executors::kNone;
  launch::ClusterOptions::FullDisk full_disk = launch::ClusterOptions::FullDisk::kRefuse;
};
inline constexpr SessionOptions kToAsk = {};
// For commands that change nothing.
inline constexpr SessionOptions kToRead = {.full_disk = launch::ClusterOptions::FullDisk::kRead};
inline constexpr SessionOptions kToAct = {.full_disk = launch::ClusterOptions::FullDisk::kMakeRoom};
inline constexpr SessionOptions kToFollow = {.executors = SessionOptions::Executors::kAsTarget};
inline constexpr SessionOptions kToStore = {.folder = SessionOptions::Folder::kCreate};
inline constexpr SessionOptions kToResume = {.holder = SessionOptions::Holder::kRefuse,
                                             .executors = SessionOptions::Executors::kAsTarget};
inline constexpr SessionOptions kToRun = {.folder = SessionOptions::Folder::kCreate,
                                          .holder = SessionOptions::Holder::kRefuse,
                                          .executors = SessionOptions::Executors::kAsTarget};

struct Session {
  launch::Target target;
  std::string data_dir;       // empty for dl://
  std::string master_folder;  // of the master that is asked because it has the folder; else empty
  NextSteps next;
  std::unique_ptr<launch::Cluster> cluster;

  rpc::ClientService& client() { return cluster->client(); }
  bool is_remote() const { return target.is_standing(); }
};

// Where --master leads. A bad one is a UsageError, or an invalid config where a variable or file
// said it.
StatusOr<launch::Target> TargetOf(const Setting& master);
// What the settings say of tokens and certificates.
launch::CredentialSources CredentialsOf(const Settings& settings);
// UsageError unless it is a standing cluster: a local one ends with the command.
Status CheckDetach(const Settings& settings);

// Nothing is computed before StartExecutors or ComputeJob.
StatusOr<Session> OpenSession(const Settings& settings, const SessionOptions& options);

// What keeps a command out of the data folder of a local --master that was refused just now.
struct FolderTaken {
  enum class Until {
    kUnclear,  // nobody any more, or a master whose command is not found: it stays, or just ends
    kCommandEnds,  // a command computes there
    kStays,        // it is no folder's fault
  };
  Until until = Until::kStays;
  std::string who;  // kCommandEnds: that command
};
FolderTaken FindFolderHolder(const Settings& settings);

// Of a call that failed: that a local cluster's master has ended says more than that nobody
// answers.
Status ReasonOf(Session& session, const Status& failed);

// Executors that compute with `isa` ("" for the best here). An instruction set that this machine
// lacks has exit code 1.
Status StartExecutors(Session& session, const std::string& isa);
// The instruction set that a job needs which the master has already, as QueryJob gives it: that of
// its kernel contract (exit code 1 when this machine does not offer it), else its training.isa.
StatusOr<std::string> IsaOfJob(Session& session, const Json& job);
// Executors for such a job; nothing when it has ended.
Status ComputeJob(Session& session, const Json& job);

}  // namespace dl::cli

// The flags that say where a command works, and the cluster that they lead to.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/settings.h"
#include "launch/cluster.h"

namespace dl::cli {

struct ClusterFlags {
  std::string master, data_dir, config;

  void Declare(Flags& flags);
  // Files, environment and these flags; the caller adds --set and the common flags of a job.
  StatusOr<SettingSources> Sources(const Context& context) const;
  StatusOr<Settings> Resolve(const Context& context) const;
};

// ~/.config/paravane/config.json; empty without HOME.
std::string UserConfigPath(const Context& context);

struct Session {
  launch::Target target;
  std::string data_dir;  // empty for dl://
  NextSteps next;
  std::unique_ptr<launch::Cluster> cluster;

  rpc::ClientService& client() { return cluster->client(); }
  bool is_remote() const { return target.kind == launch::Target::Kind::kRemote; }
};

// How many executors a command needs: one that only reads takes one slot, whatever --master says.
enum class SessionUse { kCompute, kRead };
struct SessionOptions {
  SessionUse use = SessionUse::kRead;
  std::string isa;  // of executors started here
};
// A bad --master is a UsageError.
StatusOr<Session> OpenSession(const Settings& settings, const SessionOptions& options);

// A JSON document from the master.
StatusOr<Json> QueryJson(rpc::ClientService& client, const std::string& what,
                         const std::string& job = "");
// "JOB@ROUND" as it is; "JOB" becomes its newest checkpoint. NotFound when it has none.
StatusOr<std::string> CheckpointName(const std::string& name, rpc::ClientService& client);

}  // namespace dl::cli

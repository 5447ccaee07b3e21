// The commands `master` and `executor`: run the daemons in the foreground.
#include <unistd.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/own_program.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/clusters/detach.h"
#include "cli/clusters/lifetime.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/scheduling_flags.h"
#include "launch/clusters/supervised_process.h"
#include "launch/daemons/advertised.h"
#include "launch/daemons/daemon.h"
#include "launch/daemons/daemons.h"
#include "launch/daemons/state_dir.h"
#include "launch/host_name.h"
#include "launch/process_setup.h"
#include "rpc/executor_name.h"
#include "rpc/server.h"

namespace dl::cli {
namespace {

constexpr char kLogFileHelp[] =
    "Write the log there instead of to standard error. A file of 16 MiB becomes FILE.old";
constexpr char kDetachHelp[] =
    "Run on behind this command, which returns when it is ready; dl-submit daemons lists it, and "
    "ends it";

class MasterCommand final : public Command {
 public:
  std::string_view name() const override { return "master"; }
  std::string_view summary() const override {
    return "Be the master of a standing cluster, until SIGTERM or Ctrl-C";
  }
  std::string_view examples() const override {
    return "  dl-submit master --port 7077 --data-dir /srv/paravane\n"
           "Prints one line of JSON on stdout when it is ready. A stop writes last checkpoints; "
           "the next start goes on by itself.";
  }
  void Declare(Flags& flags) override {
    flags.Integer("--port", "PORT", port_, "TCP port, up to 65535; 0 for any free one (7077)", 0,
                  65535);
    flags.Text("--address", "ADDRESS", options_.address,
               "Address to listen on; one that other machines reach, as 0.0.0.0, needs keys: "
               "dl-submit cluster init (127.0.0.1)");
    flags.Text("--advertise", "HOST[:PORT]", options_.advertise,
               "Where other machines reach it, if not at that address: behind a forwarded port, or "
               "by a name (the first name of its certificate)");
    cluster_.DeclareOne(flags, "--data-dir",
                        "Where state lives (DL_DATA_DIR; default ~/.local/state/paravane)");
    cluster_.DeclareConfig(flags);
    flags.Text("--tls-cert", "FILE", options_.site_keys.certificate,
               "A site's certificate, in PEM, in place of that of cluster init");
    flags.Text("--tls-key", "FILE", options_.site_keys.key, "Its key");
    flags.Text("--tls-ca", "FILE", options_.site_keys.ca,
               "The site's CA; peers with a certificate of it need no token");
    flags.Bytes(
        "--memory", options_.memory_bytes,
        "Budget for states, accumulators and staging of running jobs, as 512M or 8G (8G, or "
        "three quarters of what the machine or its container has where that is less)");
    flags.Bytes("--staging", staging_,
                "Of that, for the contributions of one round; where they are more, executors keep "
                "theirs until all are announced (a sixteenth of --memory)");
    flags.Integer("--max-running-jobs", "N", options_.max_running_jobs,
                  "Jobs that run side by side (4)", 1, 1000);
    flags.Switch("--no-other-executors", options_.no_other_executors,
                 "No executors come but those that are started with it, as in local-cluster[N]: a "
                 "job at which all of them are killed again and again FAILS and does not wait");
    flags.Integer("--keep-jobs", "N", options_.keep_jobs,
                  "Delete the oldest jobs that ended when there are more than so many; not those "
                  "with pinned checkpoints (0: keep all)",
                  0, 1'000'000'000);
    flags.Text("--keep-for", "TIME", keep_for_,
               "Delete jobs that ended longer ago, as 12h, 7d or 8w; not those with pinned "
               "checkpoints (for ever)");
    flags.Text("--keep-uploads", "TIME", keep_uploads_,
               "Delete data that was uploaded longer ago and that no job names, as 12h or 8w (7d)");
    flags.Switch(
        "--accept-loss", options_.accept_loss,
        "Open a damaged data folder with what is left of it (docs/operations/troubleshooting.md)");
    flags.Text("--log-file", "FILE", log_file_, kLogFileHelp);
    flags.Switch("--detach", detach_, kDetachHelp);
    flags.Switch("--json", json_, "Print an error as a line of JSON too");
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(options_.data_dir, launch::StateDir(settings.data_dir.value));
    options_.port = static_cast<int>(port_);
    if (staging_ >= 0) options_.staging_bytes = staging_;
    if (!keep_for_.empty()) {
      DL_ASSIGN_OR_RETURN(options_.keep_for, ParseLifetime(keep_for_, "--keep-for"));
    }
    if (!keep_uploads_.empty()) {
      DL_ASSIGN_OR_RETURN(options_.keep_uploads, ParseLifetime(keep_uploads_, "--keep-uploads"));
    }
    DL_RETURN_IF_ERROR(CheckKeys());
    if (detach_) return Detach(launch::kMasterDaemon, settings, context);
    if (!log_file_.empty()) DL_RETURN_IF_ERROR(LogToFile(log_file_));
    const Status status = launch::RunMasterDaemon(options_);
    // The first is a mistake in the port of the command line. The second is a port that is in use
    // now.
    if (absl::IsInvalidArgument(status)) return WithExitCode(status, kUsage);
    if (absl::IsUnavailable(status)) return WithExitCode(status, kTryAgain);
    DL_RETURN_IF_ERROR(status);
    return kSuccess;
  }

 private:
  Status CheckKeys() const {
    const auto keys = launch::KeysFor(options_.data_dir, options_.site_keys);
    if (absl::IsUnavailable(keys.status())) return WithExitCode(keys.status(), kTryAgain);
    if (!keys.ok()) return WithExitCode(keys.status(), kUsage);
    Status reach = rpc::CheckReach(options_.address, keys->has_value());
    if (reach.ok()) {
      // If the port is not known yet, any port serves, because only the name is checked.
      const rpc::Endpoint listening{options_.address, options_.port == 0 ? 1 : options_.port};
      reach = launch::AdvertisedEndpoint(options_.advertise, listening, *keys).status();
    }
    const bool is_line = absl::IsInvalidArgument(reach) && ErrorWhere(reach) == "--advertise";
    return WithExitCode(reach, is_line ? kUsage : kInvalidConfig);
  }

  ClusterFlags cluster_;
  launch::MasterDaemonOptions options_;
  int64_t port_ = options_.port;
  int64_t staging_ = -1;
  std::string keep_for_, keep_uploads_, log_file_;
  bool detach_ = false, json_ = false;
};

class ExecutorCommand final : public Command {
 public:
  std::string_view name() const override { return "executor"; }
  bool Computes() const override { return true; }
  std::string_view summary() const override {
    return "Compute for a master, until SIGTERM or Ctrl-C";
  }
  std::string_view examples() const override {
    return "  dl-submit executor --master dl://127.0.0.1:7077 --slots 2\n"
           "  dl-submit executor --master dl://127.0.0.1:7077 --isa avx2 --cache-dir "
           "/var/cache/paravane\n"
           "Prints one line of JSON on stdout when it is registered. It waits for a master that "
           "has not started yet; it exits with 69 when what listens there does not answer for 60 "
           "s.\n"
           "SIGTERM or Ctrl-C: it finishes what runs, then leaves; a second one ends it at once. "
           "May "
           "be killed at any time: results do not depend on it.";
  }
  void Declare(Flags& flags) override {
    cluster_.DeclareOne(flags, "--master", "dl://host:port (DL_MASTER)");
    cluster_.DeclareCredentials(flags);
    cluster_.DeclareConfig(flags);
    flags.Integer("--slots", "N", slots_, "Units computed at once (1)", 1, limits::kMaxSlots);
    flags.Choice("--isa", "ISA", options_.isa, {"avx2", "avx512"},
                 "Instruction set of the kernels: avx2 or avx512 (the best here)");
    flags.Text("--name", "NAME", options_.name, "Name in the cluster (host and process id)");
    flags.List("--label", "KEY=VALUE", options_.labels,
               "What jobs may ask for with --needs; may be given several times");
    flags.Text("--cache-dir", "DIR", options_.cache_dir,
               "Where dataset blocks are cached (a folder in the data folder)");
    flags.Bytes("--cache-bytes", options_.cache_bytes,
                "Bound of that cache, as 512M or 4G; 0: none (4G)");
    flags.Bytes("--memory", options_.memory_bytes,
                "Memory for units, and for the results and states that it keeps, as 512M or 8G; 0: "
                "half of the machine's, or of its container's (0)");
    flags.Integer("--drain-seconds", "SECONDS", options_.drain_seconds,
                  "How long a stop waits for the units that run; 0: it does not (30)", 0,
                  limits::kMaxLeaseSeconds);
    flags.Switch("--restart", restart_,
                 "Start it again when it crashes or is killed; what was started watches over it");
    flags.Text("--log-file", "FILE", log_file_, kLogFileHelp);
    flags.Switch("--detach", detach_, kDetachHelp);
    flags.Switch("--json", options_.events,
                 "Print each change: that it waits for the master, that it is registered again");
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    if (!settings.master.value.starts_with("dl://")) {
      return UsageError(
          {.message = "an executor joins a standing master, not \"" + settings.master.value + "\"",
           .where = settings.master.origin,
           .remedy = "Use --master dl://host:port"});
    }
    if (!options_.name.empty() && !rpc::IsExecutorName(options_.name)) {
      return UsageError(
          {.message = absl::StrCat("\"", absl::CHexEscape(options_.name.substr(0, 80)),
                                   "\" cannot name an executor"),
           .where = "--name",
           .remedy = absl::StrCat("Use ", rpc::kExecutorNameRule)});
    }
    DL_RETURN_IF_ERROR(CheckLabelFlags(options_.labels, "--label"));
    if (detach_) return Detach(DaemonName(), settings, context);
    if (restart_) return KeepUp(settings);
    if (!log_file_.empty()) DL_RETURN_IF_ERROR(LogToFile(log_file_));
    options_.master = settings.master.value;
    options_.credentials = CredentialsOf(settings);
    options_.slots = static_cast<int32_t>(slots_);
    if (options_.cache_dir.empty()) {
      DL_ASSIGN_OR_RETURN(options_.state_dir, launch::StateDir(settings.data_dir.value));
    }
    DL_RETURN_IF_ERROR(launch::RunExecutorDaemon(options_));
    return kSuccess;
  }

 private:
  // Runs this command line without --restart in a child process, and restarts it after crashes. All
  // these processes have the same name, because the master counts failures of an executor by its
  // name.
  StatusOr<int> KeepUp(const Settings& settings) const {
    if (IsReadableOnce(settings.token_file.value)) {
      return UsageError({.message = "one that is started again cannot read its token there again",
                         .where = settings.token_file.origin,
                         .remedy = "With --restart use --token-file and a file"});
    }
    DL_ASSIGN_OR_RETURN(std::vector<std::string> words, launch::OwnWords());
    DL_ASSIGN_OR_RETURN(words.front(), OwnProgram());
    std::erase(words, "--restart");
    if (options_.name.empty())
      words.insert(words.end(), {"--name", absl::StrCat(DaemonName(), "-", getpid())});
    DL_ASSIGN_OR_RETURN(const ExitStatus ended, launch::KeepUp({.argv = std::move(words)}));
    return ended.signal == 0 ? ended.code : 128 + ended.signal;
  }

  // Returns the name of the daemon, by default the host name. It is also the name in the cluster.
  std::string DaemonName() const {
    std::string name = options_.name.empty() ? launch::HostName() : options_.name;
    for (char& c : name) c = rpc::IsExecutorNameLetter(c) ? c : '-';
    return name;
  }

  ClusterFlags cluster_;
  launch::ExecutorDaemonOptions options_;
  int64_t slots_ = options_.slots;
  std::string log_file_;
  bool restart_ = false, detach_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeMaster() { return std::make_unique<MasterCommand>(); }
std::unique_ptr<Command> MakeExecutor() { return std::make_unique<ExecutorCommand>(); }

}  // namespace dl::cli

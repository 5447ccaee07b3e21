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
#include "inference/serving/served_models.h"
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
    "Write the log to FILE instead of standard error. At 16 MiB the file is renamed to FILE.old.";
constexpr char kDetachHelp[] =
    "Run in the background; return when the process is ready (see dl-submit daemons --help)";

class MasterCommand final : public Command {
 public:
  std::string_view name() const override { return "master"; }
  std::string_view json_lines() const override { return "MasterReady|DaemonStarting"; }
  std::string_view summary() const override { return "Run a master"; }
  std::string_view examples() const override {
    return "  dl-submit master --port 7077 --data-dir /srv/paravane\n"
           "Prints one line of JSON on standard output when it is ready. SIGTERM or Ctrl-C ends "
           "it: running jobs write last checkpoints, and the next start continues them.";
  }
  void Declare(Flags& flags) override {
    flags.Integer("--port", "PORT", port_, "TCP port; 0 selects a free port. Default: 7077.", 0,
                  65535);
    flags.Integer("--http", "PORT", http_port_,
                  "Also serve pages and REST on this TCP port of the same address; 0 selects a "
                  "free port. The line of JSON has the address as \"page\". Default: no pages.",
                  0, 65535);
    flags.Switch(
        "--no-predictions", no_predictions_,
        "With --http: refuse to predict rows that clients send, and to evaluate checkpoints for "
        "pages. Default: do so in a thread of low priority, with at most 512 MiB for models.");
    flags.Bytes("--max-upload", max_upload_,
                "With --http: longest file that a client may send for an import, which takes up to "
                "ten times as much disk space while it runs. 0 refuses files. Default: 1G.");
    flags.Text("--address", "ADDRESS", options_.address,
               "Address to listen on. An address that other machines reach, such as 0.0.0.0, needs "
               "keys from dl-submit cluster init. Default: 127.0.0.1.");
    flags.Text("--advertise", "HOST[:PORT]", options_.advertise,
               "Address at which other machines reach the master, if it differs from --address: a "
               "forwarded port, or a name. Default: that address, or the first name of the "
               "certificate if the master listens on all addresses.");
    cluster_.DeclareOne(
        flags, "--data-dir",
        "State folder. Default: ~/.local/state/paravane. Environment: DL_DATA_DIR.");
    cluster_.DeclareConfig(flags);
    flags.Text("--tls-cert", "FILE", options_.site_keys.certificate,
               "Certificate of your site (PEM), used instead of the certificate of dl-submit "
               "cluster init");
    flags.Text("--tls-key", "FILE", options_.site_keys.key, "Private key of --tls-cert (PEM)");
    flags.Text("--tls-ca", "FILE", options_.site_keys.ca,
               "CA of your site (PEM). Peers with a certificate of this CA need no token.");
    flags.Bytes(
        "--memory", options_.memory_bytes,
        "Memory for states, accumulators and staging of running jobs, for example 512M or 8G. "
        "Default: 8G, at most three quarters of the memory of the machine or container.");
    flags.Bytes("--staging", staging_,
                "Part of --memory for one round's contributions. Larger contributions stay with "
                "the executors until all are announced. Default: a sixteenth of --memory.");
    flags.Integer("--max-running-jobs", "N", options_.max_running_jobs,
                  "Maximum number of jobs that run at a time. Default: 4.", 1, 1000);
    flags.Switch("--no-other-executors", options_.no_other_executors,
                 "Expect no executors besides those started with this master: fail a job if all of "
                 "them are killed repeatedly, instead of waiting for others");
    flags.Bytes("--executor-memory", options_.executor_memory_bytes,
                "With --no-other-executors: --memory of these executors. Jobs whose units need "
                "more than half of it are refused. Default: 0, refuse none.");
    flags.Integer("--keep-jobs", "N", options_.keep_jobs,
                  "Keep the N jobs that ended last, and delete jobs that ended before them. Jobs "
                  "with pinned checkpoints stay and do not count; 0 keeps all. Default: 0.",
                  0, 1'000'000'000);
    flags.Text("--keep-for", "TIME", keep_for_,
               "Delete jobs that ended longer ago than TIME, for example 12h, 7d or 8w, except "
               "jobs with pinned checkpoints. Default: no limit.");
    flags.Text("--keep-uploads", "TIME", keep_uploads_,
               "Delete uploaded data that no job names and that is older than TIME, for example "
               "12h or 8w. Default: 7d.");
    flags.Switch("--accept-loss", options_.accept_loss,
                 "Open a damaged data folder with what can still be read "
                 "(docs/operations/troubleshooting.md)");
    flags.Text("--log-file", "FILE", log_file_, kLogFileHelp);
    flags.Switch("--detach", detach_, kDetachHelp);
    flags.Switch("--json", json_, "Also print errors as one line of JSON");
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(options_.data_dir, launch::StateDir(settings.data_dir.value));
    options_.port = static_cast<int>(port_);
    if (http_port_ >= 0) options_.http_port = static_cast<int>(http_port_);
    if (no_predictions_ && http_port_ < 0)
      return WithExitCode(InvalidArgument({.message = "without --http, no client sends rows",
                                           .where = "--no-predictions",
                                           .remedy = "Add --http PORT, or leave the flag out"}),
                          kUsage);
    if (max_upload_ >= 0 && http_port_ < 0)
      return WithExitCode(InvalidArgument({.message = "without --http, no client sends files",
                                           .where = "--max-upload",
                                           .remedy = "Add --http PORT, or leave the flag out"}),
                          kUsage);
    if (max_upload_ >= 0) options_.max_upload_bytes = max_upload_;
    if (staging_ >= 0) options_.staging_bytes = staging_;
    if (options_.executor_memory_bytes > 0 && !options_.no_other_executors)
      return WithExitCode(
          InvalidArgument({.message = "executors with more memory may join this master",
                           .where = "--executor-memory",
                           .remedy = "Add --no-other-executors, or leave the flag out"}),
          kUsage);
    if (!keep_for_.empty()) {
      DL_ASSIGN_OR_RETURN(options_.keep_for, ParseLifetime(keep_for_, "--keep-for"));
    }
    if (!keep_uploads_.empty()) {
      DL_ASSIGN_OR_RETURN(options_.keep_uploads, ParseLifetime(keep_uploads_, "--keep-uploads"));
    }
    DL_RETURN_IF_ERROR(CheckKeys());
    if (detach_) return Detach(launch::kMasterDaemon, settings, context);
    if (!log_file_.empty()) DL_RETURN_IF_ERROR(LogToFile(log_file_));
    const auto models = inference::MakeModelService(no_predictions_ ? inference::Predictions::kOff
                                                                    : inference::Predictions::kOn);
    options_.models = models.get();
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
  int64_t http_port_ = -1;  // -1: no pages
  bool no_predictions_ = false;
  int64_t max_upload_ = -1;  // -1: the default
  int64_t staging_ = -1;
  std::string keep_for_, keep_uploads_, log_file_;
  bool detach_ = false, json_ = false;
};

class ExecutorCommand final : public Command {
 public:
  std::string_view name() const override { return "executor"; }
  std::string_view json_lines() const override {
    return "ExecutorReady|ExecutorWaiting|DaemonStarting";
  }
  bool Computes() const override { return true; }
  std::string_view summary() const override { return "Run an executor"; }
  std::string_view examples() const override {
    return "  dl-submit executor --master dl://127.0.0.1:7077 --slots 2\n"
           "  dl-submit executor --master dl://127.0.0.1:7077 --isa avx2 --cache-dir "
           "/var/cache/paravane\n"
           "Prints one line of JSON on standard output when it is registered. Waits for a master "
           "that has not started yet. Exits with code 69 if another program listens at the address "
           "and does not answer for 60 s.\n"
           "On SIGTERM or Ctrl-C it finishes running units and leaves; a second signal ends it at "
           "once. It may be killed at any time: results do not depend on it.";
  }
  void Declare(Flags& flags) override {
    cluster_.DeclareOne(flags, "--master",
                        "Address of the master, dl://host:port. Environment: DL_MASTER.");
    cluster_.DeclareCredentials(flags);
    cluster_.DeclareConfig(flags);
    flags.Integer("--slots", "N", slots_, "Number of units computed at a time. Default: 1.", 1,
                  limits::kMaxSlots);
    flags.Choice("--isa", "ISA", options_.isa, {"avx2", "avx512", "avx512_bf16", "amx"},
                 "Instruction set of the kernels. With avx512_bf16 and amx, jobs in float32 are "
                 "computed with avx512. Default: the best of this machine.");
    flags.Text("--name", "NAME", options_.name,
               "Name in the cluster. Default: host name and process id.");
    flags.List("--executor-label", "KEY=VALUE", options_.labels,
               "Label this executor; jobs require labels with --needs. May be repeated.");
    flags.Text("--cache-dir", "DIR", options_.cache_dir,
               "Folder for cached dataset blocks. Default: a folder in the data folder.");
    flags.Bytes(
        "--cache-bytes", options_.cache_bytes,
        "Maximum size of the block cache, for example 512M or 4G; 0 caches nothing. Default: 4G.");
    flags.Bytes("--memory", options_.memory_bytes,
                "Memory for units, results and states, for example 512M or 8G; 0 selects half of "
                "the memory of the machine or container. Default: 0.");
    flags.Integer("--drain-seconds", "SECONDS", options_.drain_seconds,
                  "Time that a stop waits for running units; 0 does not wait. Default: 30.", 0,
                  limits::kMaxLeaseSeconds);
    flags.Switch("--restart", restart_, "Restart after a crash");
    flags.Text("--log-file", "FILE", log_file_, kLogFileHelp);
    flags.Switch("--detach", detach_, kDetachHelp);
    flags.Switch("--json", options_.events, "Print connection events as JSON");
  }
  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    if (!settings.master.value.starts_with("dl://")) {
      return SettingError(
          settings.master,
          {.message = "an executor joins a standing master, not \"" + settings.master.value + "\"",
           .remedy = "Use --master dl://host:port"});
    }
    if (!options_.name.empty() && !rpc::IsExecutorName(options_.name)) {
      return UsageError(
          {.message = absl::StrCat("\"", absl::CHexEscape(options_.name.substr(0, 80)),
                                   "\" cannot name an executor"),
           .where = "--name",
           .remedy = absl::StrCat("Use ", rpc::kExecutorNameRule)});
    }
    DL_RETURN_IF_ERROR(CheckLabelFlags(options_.labels, "--executor-label"));
    DL_RETURN_IF_ERROR(CheckCertificate(settings));
    if (detach_) return Detach(DaemonName(), settings, context);
    if (restart_) return RunSupervised(settings);
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
  StatusOr<int> RunSupervised(const Settings& settings) const {
    if (CanBeReadOnlyOnce(settings.token_file.value)) {
      return SettingError(
          settings.token_file,
          {.message = "a restarted executor cannot read its token from standard input again",
           .remedy = "Give --token-file FILE with --restart"});
    }
    DL_ASSIGN_OR_RETURN(std::vector<std::string> words, launch::OwnArguments());
    DL_ASSIGN_OR_RETURN(words.front(), OwnProgram());
    std::erase(words, "--restart");
    if (options_.name.empty())
      words.insert(words.end(), {"--name", absl::StrCat(DaemonName(), "-", getpid())});
    DL_ASSIGN_OR_RETURN(const ExitStatus ended, launch::RunSupervised({.argv = std::move(words)}));
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

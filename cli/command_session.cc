#include "cli/command_session.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/shell_word.h"
#include "base/system_error.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_query.h"
#include "cli/output/json_fields.h"
#include "inference/serving/served_models.h"
#include "launch/daemons/data_folder.h"
#include "launch/daemons/state_dir.h"
#include "launch/kernel_contracts.h"

namespace dl::cli {
namespace {

using launch::Target;

// Finds the folder of a local master, and decides whether to open it or to connect to its holder.
Status FindFolder(const Settings& settings, const SessionOptions& options, Session& session) {
  DL_ASSIGN_OR_RETURN(session.data_dir, launch::StateDir(settings.data_dir.value));
  if (settings.data_dir.origin.starts_with("flag")) {
    const std::string flag = absl::StrCat(" --data-dir ", ShellWord(settings.data_dir.value));
    session.next.run_flags += flag;
    session.next.store_flags += flag;
  }
  if (auto holder = launch::DataFolder::Holder(session.data_dir)) {
    if (options.holder == SessionOptions::Holder::kRefuse || holder->master.empty())
      return launch::FolderInUse(session.data_dir, *holder);
    DL_ASSIGN_OR_RETURN(session.target, launch::ParseTarget(holder->master));
    session.master_folder = std::move(session.data_dir);
    session.data_dir.clear();
    return absl::OkStatus();
  }
  std::error_code ignored;
  if (std::filesystem::exists(session.data_dir, ignored) &&
      !std::filesystem::is_directory(session.data_dir, ignored)) {
    return SystemError(ENOTDIR, "use the data folder",
                       absl::StrCat(session.data_dir, " (", settings.data_dir.origin, ")"));
  }
  // The folder belongs to another user, so it cannot be seen whether there are jobs.
  if (access(session.data_dir.c_str(), F_OK) == 0 &&
      access(session.data_dir.c_str(), R_OK | X_OK) != 0) {
    return SystemError(EACCES, "look into the data folder",
                       absl::StrCat(session.data_dir, " (", settings.data_dir.origin, ")"));
  }
  if (options.folder == SessionOptions::Folder::kMustExist && !launch::HasStore(session.data_dir)) {
    return NotFound({.message = "the data folder has no jobs: no command has used it yet",
                     .where = absl::StrCat(session.data_dir, " (", settings.data_dir.origin, ")"),
                     .remedy = "Start a job with dl-submit run JOB, or name another folder or "
                               "cluster with --data-dir or --master"});
  }
  if (options.executors == SessionOptions::Executors::kNone) session.target = Target::Local(1);
  session.next.data_dir = session.data_dir;
  return absl::OkStatus();
}

// Returns whether the holder is "dl-submit master ..." or "dl-master ...". It stays until a user
// stops it, unless a command started it for itself (launch::HolderIfCommand).
bool IsMaster(const launch::FolderHolder& holder) {
  return holder.command.substr(0, holder.command.find(" -")).ends_with("master");
}

// Returns the address of the standing master that has the data folder, or "".
std::string StandingMasterOf(const Settings& settings) {
  const auto data_dir = launch::StateDir(settings.data_dir.value);
  if (!data_dir.ok()) return "";
  const auto holder = launch::DataFolder::Holder(*data_dir);
  const bool stays = holder && IsMaster(*holder) && !launch::HolderIfCommand(*holder);
  return stays ? holder->master : "";
}

Status AsImpossibleHere(const Status& status) {
  const bool impossible = absl::IsFailedPrecondition(status) && SystemErrorNumber(status) == 0;
  return impossible ? WithExitCode(status, kFailed) : status;
}

}  // namespace

StatusOr<Target> TargetOf(const Setting& master) {
  auto target = launch::ParseTarget(master.value);
  if (target.ok()) return target;
  return SettingError(master, {.message = std::string(target.status().message()),
                               .remedy = ErrorRemedy(target.status())});
}

launch::CredentialSources CredentialsOf(const Settings& settings) {
  return {.token_file = settings.token_file.value,
          .tls_ca = settings.tls_ca.value,
          .tls_cert = settings.tls_cert.value,
          .tls_key = settings.tls_key.value,
          .master_user = settings.master_user.value};
}

Status CheckCertificate(const Settings& settings) {
  const bool has_certificate = !settings.tls_cert.value.empty();
  if (has_certificate != settings.tls_key.value.empty()) return absl::OkStatus();
  return SettingError(has_certificate ? settings.tls_cert : settings.tls_key,
                      {.message = has_certificate ? "a client certificate needs its private key"
                                                  : "a private key needs its client certificate",
                       .remedy = "Give both --tls-cert and --tls-key, or neither"});
}

Status CheckDetach(const Settings& settings) {
  DL_ASSIGN_OR_RETURN(const Target target, TargetOf(settings.master));
  if (target.can_detach()) return absl::OkStatus();
  if (target.is_batch()) {
    return UsageError({.message = "this command follows a job on Slurm to its end",
                       .where = "--detach",
                       .remedy = "Give the --master of a standing cluster, dl://host:port"});
  }
  const std::string master = StandingMasterOf(settings);
  return UsageError(
      {.message = absl::StrCat("a ", target.ToString(), " cluster ends with this command"),
       .where = "--detach",
       .remedy = master.empty() ? "Give the --master of a standing cluster, dl://host:port"
                                : absl::StrCat("Give the master that uses the data folder: "
                                               "--master ",
                                               master)});
}

StatusOr<Session> OpenSession(const Settings& settings, const SessionOptions& options) {
  Session session;
  DL_ASSIGN_OR_RETURN(session.target, TargetOf(settings.master));
  if (settings.master.origin.starts_with("flag"))
    session.next.run_flags = absl::StrCat(" --master ", ShellWord(settings.master.value));
  if (session.is_remote()) {
    session.next.store_flags = session.next.run_flags;
    if (settings.data_dir.origin.starts_with("flag")) {
      return UsageError({.message = "a standing master has a data folder of its own",
                         .where = "--data-dir",
                         .remedy = "Leave out --data-dir, or give a local --master"});
    }
  } else {
    DL_RETURN_IF_ERROR(FindFolder(settings, options, session));
  }
  const bool token_given = IsFromLine(settings.token_file);
  if (token_given && !session.is_remote()) {
    return UsageError({.message = "a local master knows its own user",
                       .where = settings.token_file.origin,
                       .remedy = "Leave the token out, or give --master dl://host:port"});
  }
  if (session.is_remote() && session.master_folder.empty())
    DL_RETURN_IF_ERROR(CheckCertificate(settings));
  launch::CredentialSources credentials = CredentialsOf(settings);
  // Credentials of files or the environment are meant for another master.
  if (!session.master_folder.empty() && !token_given)
    credentials = {.data_dir = session.master_folder};
  if (token_given && settings.token_file.value != "-") {
    const std::string flag = " --token-file " + ShellWord(settings.token_file.value);
    session.next.run_flags += flag;
    session.next.store_flags += flag;
  }
  if (session.is_remote() && IsFromLine(settings.master_user)) {
    const std::string flag = " --master-user " + ShellWord(settings.master_user.value);
    session.next.run_flags += flag;
    session.next.store_flags += flag;
  }
  if (options.http_port) session.models = inference::MakeModelService(inference::Predictions::kOn);
  DL_ASSIGN_OR_RETURN(session.cluster, launch::Cluster::Open({.target = session.target,
                                                              .data_dir = session.data_dir,
                                                              .credentials = std::move(credentials),
                                                              .full_disk = options.full_disk,
                                                              .http_port = options.http_port,
                                                              .models = session.models.get()}));
  return session;
}

FolderUse FindFolderHolder(const Settings& settings) {
  const auto target = launch::ParseTarget(settings.master.value);
  if (!target.ok() || target->is_standing()) return {};
  const auto data_dir = launch::StateDir(settings.data_dir.value);
  if (!data_dir.ok()) return {};
  auto holder = launch::DataFolder::Holder(*data_dir);
  if (holder && IsMaster(*holder)) holder = launch::HolderIfCommand(*holder);
  if (!holder) return {.in_use_until = FolderUse::InUseUntil::kUnclear, .who = ""};
  return {.in_use_until = FolderUse::InUseUntil::kCommandEnds,
          .who = holder->pid == 0
                     ? "another process"
                     : absl::StrCat("process ", holder->pid, " (", holder->command, ")")};
}

Status ReasonOf(Session& session, const Status& failed) {
  if (!absl::IsUnavailable(failed)) return failed;
  const Status health = session.cluster->Health();
  return health.ok() ? failed : health;
}

Status StartExecutors(Session& session, const launch::KernelChoice& kernels) {
  return AsImpossibleHere(session.cluster->StartExecutors(kernels));
}

StatusOr<launch::KernelChoice> StatedKernels(Session& session, const std::string& job) {
  DL_ASSIGN_OR_RETURN(const Json spec, QueryJson(session.client(), rpc::QueryKind::kSpec, job));
  const Json* const training = Member(spec, "training");
  launch::KernelChoice kernels;
  if (training == nullptr) return kernels;
  kernels.isa = TextAt(*training, "isa");
  kernels.precision =
      nn::FromWord<nn::Precision>(TextAt(*training, "precision")).value_or(nn::Precision::kFloat32);
  return kernels;
}

StatusOr<launch::KernelChoice> KernelsOfJob(Session& session, const Json& job) {
  const std::string id = TextAt(job, "job");
  auto isa = launch::IsaOfContract(TextAt(job, "kernel_contract"));
  if (!isa.ok()) {
    return WithExitCode(
        FailedPrecondition(
            {.message =
                 absl::StrCat(id, " cannot continue here: ", std::string(isa.status().message())),
             .where = id,
             .remedy = absl::StrCat("Continue on a machine that offers the contract, or accept a "
                                    "result with other bits: dl-submit resume --rebind",
                                    session.next.run_flags, " ", id)}),
        kFailed);
  }
  if (!isa->empty()) return launch::KernelChoice{.isa = *isa};
  return StatedKernels(session, id);
}

Status ComputeJob(Session& session, const Json& job) {
  if (session.is_remote() || HasEnded(job)) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const launch::KernelChoice kernels, KernelsOfJob(session, job));
  return StartExecutors(session, kernels);
}

}  // namespace dl::cli

#include "cli/clusters/joined_master.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/own_program.h"
#include "base/shell_word.h"
#include "cli/exit_code.h"
#include "cli/jobs/json_call.h"
#include "cli/output/json_fields.h"
#include "launch/clusters/target.h"
#include "launch/daemons/advertised.h"
#include "launch/daemons/cluster_init.h"
#include "launch/daemons/data_folder.h"
#include "launch/daemons/state_dir.h"
#include "launch/master_security.h"
#include "rpc/endpoint.h"
#include "security/secret_file.h"

namespace dl::cli {
namespace {

StatusOr<std::string> TokenText(const std::string& path) {
  DL_ASSIGN_OR_RETURN(const security::Token token, security::ReadTokenFile(path));
  return security::ToString(token);
}

StatusOr<JoinedMaster> FindStandingMaster(const Settings& settings) {
  if (settings.token_file.value.empty()) {
    return UsageError({.message = "the executors need a token for that master",
                       .where = "--token-file",
                       .remedy = "Give a token with the role execute: dl-submit cluster token "
                                 "create --role execute -o executors.token"});
  }
  JoinedMaster master{.url = settings.master.value};
  DL_ASSIGN_OR_RETURN(master.token, TokenText(settings.token_file.value));
  return master;
}

// Returns the master that holds the folder; nullopt if no process holds it.
StatusOr<std::optional<JoinedMaster>> Holding(const std::string& data_dir,
                                              const std::string& address,
                                              const security::MasterTls& keys) {
  const auto holder = launch::DataFolder::Holder(data_dir);
  if (!holder) return std::nullopt;
  if (!holder->machine.empty()) return launch::FolderInUse(data_dir, *holder);
  const auto target = launch::ParseTarget(holder->master);
  if (!target.ok()) return launch::FolderInUse(data_dir, *holder);
  DL_ASSIGN_OR_RETURN(const rpc::Endpoint reached,
                      launch::AdvertisedEndpoint("", {address, target->port()}, keys));
  JoinedMaster master{.url = rpc::ToString(reached), .is_on_this_machine = true};
  master.description = absl::StrCat(master.url, " runs already, process ", holder->pid);
  DL_ASSIGN_OR_RETURN(master.token, TokenText(launch::ExecutorTokenFile(data_dir)));
  return master;
}

StatusOr<JoinedMaster> Start(const std::string& data_dir, const std::string& address,
                             int64_t port) {
  JoinedMaster master{.is_on_this_machine = true};
  DL_ASSIGN_OR_RETURN(master.token, TokenText(launch::ExecutorTokenFile(data_dir)));
  DL_ASSIGN_OR_RETURN(const std::string program, OwnProgram());
  DL_ASSIGN_OR_RETURN(const JsonProgramOutput answer,
                      RunForJson({program, "master", "--detach", "--json", "--data-dir", data_dir,
                                  "--address", address, "--port", absl::StrCat(port)},
                                 ""));
  DL_RETURN_IF_ERROR(answer.error());
  const Json line = answer.objects.empty() ? Json::object() : answer.objects.back();
  if (TextAt(line, "type") != "ready") {
    return Unavailable({.message = "the master is not ready yet",
                        .where = TextAt(line, "log"),
                        .remedy = "Read its log, then start again. Running processes stay"});
  }
  master.url = TextAt(line, "url");
  master.description = absl::StrCat(master.url, ", log in ", TextAt(line, "log"));
  return master;
}

}  // namespace

bool IsStanding(const Setting& master) { return master.value.starts_with("dl://"); }

StatusOr<JoinedMaster> FindOrStartMaster(const Settings& settings, const std::string& address,
                                         int64_t port) {
  if (IsStanding(settings.master)) return FindStandingMaster(settings);
  DL_ASSIGN_OR_RETURN(const std::string data_dir, launch::StateDir(settings.data_dir.value));
  DL_ASSIGN_OR_RETURN(const auto keys, launch::KeysFor(data_dir, {}));
  if (!keys) {
    return WithExitCode(
        FailedPrecondition(
            {.message = "the data folder has no keys, so other machines cannot verify its master",
             .where = data_dir,
             .remedy = absl::StrCat("Create them first: dl-submit cluster init --data-dir ",
                                    ShellWord(data_dir))}),
        kInvalidConfig);
  }
  DL_ASSIGN_OR_RETURN(std::optional<JoinedMaster> master, Holding(data_dir, address, *keys));
  if (master) return *std::move(master);
  return Start(data_dir, address, port);
}

StatusOr<std::optional<JoinedMaster>> FindMaster(const Settings& settings,
                                                 const std::string& address) {
  if (IsStanding(settings.master)) return FindStandingMaster(settings);
  DL_ASSIGN_OR_RETURN(const std::string data_dir, launch::StateDir(settings.data_dir.value));
  DL_ASSIGN_OR_RETURN(const auto keys, launch::KeysFor(data_dir, {}));
  if (!keys) return std::nullopt;
  return Holding(data_dir, address, *keys);
}

}  // namespace dl::cli

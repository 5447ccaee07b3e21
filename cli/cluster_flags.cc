#include "cli/cluster_flags.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/limits.h"
#include "cli/exit_code.h"
#include "cli/json_fields.h"
#include "launch/state_dir.h"

namespace dl::cli {
namespace {

StatusOr<ConfigFile> ReadConfigFile(const std::string& path) {
  DL_ASSIGN_OR_RETURN(std::string text, ReadFile(path, limits::kMaxJsonBytes));
  return ParseConfigFile(text, path);
}

std::string Quoted(const std::string& text) {
  const bool plain = text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@") ==
                     std::string::npos;
  if (plain) return text;
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

void ClusterFlags::Declare(Flags& flags) {
  flags.Text("--master", "WHERE", master,
             "local[N], local[*], local-cluster[N] or dl://host:port (DL_MASTER)");
  flags.Text("--data-dir", "DIR", data_dir,
             "Where a local master keeps its state (DL_DATA_DIR; default ~/.local/state/paravane)");
  flags.Text("--config", "FILE", config,
             "Another config file, read after ~/.config/paravane/config.json");
}

std::string UserConfigPath(const Context& context) {
  auto home = context.environment.find("HOME");
  if (home == context.environment.end() || home->second.empty()) return "";
  return home->second + "/.config/paravane/config.json";
}

StatusOr<SettingSources> ClusterFlags::Sources(const Context& context) const {
  SettingSources sources{
      .master_flag = master, .data_dir_flag = data_dir, .environment = context.environment};
  std::error_code error;
  if (const std::string path = UserConfigPath(context);
      !path.empty() && std::filesystem::exists(path, error)) {
    DL_ASSIGN_OR_RETURN(ConfigFile file, ReadConfigFile(path));
    sources.files.push_back(std::move(file));
  }
  if (!config.empty()) {
    DL_ASSIGN_OR_RETURN(ConfigFile file, ReadConfigFile(config));
    sources.files.push_back(std::move(file));
  }
  return sources;
}

StatusOr<Settings> ClusterFlags::Resolve(const Context& context) const {
  DL_ASSIGN_OR_RETURN(SettingSources sources, Sources(context));
  return ResolveSettings(sources);
}

StatusOr<Session> OpenSession(const Settings& settings, const SessionOptions& options) {
  Session session;
  auto target = launch::ParseTarget(settings.master.value);
  if (!target.ok()) {
    return UsageError({.message = std::string(target.status().message()),
                       .where = settings.master.origin,
                       .remedy = ErrorRemedy(target.status())});
  }
  session.target = *target;
  const bool master_by_flag = settings.master.origin.starts_with("flag");
  if (master_by_flag)
    session.next.run_flags = absl::StrCat(" --master ", Quoted(settings.master.value));
  if (session.is_remote()) {
    session.next.store_flags = session.next.run_flags;
  } else {
    DL_ASSIGN_OR_RETURN(session.data_dir, launch::StateDir(settings.data_dir.value));
    session.next.data_dir = session.data_dir;
    if (settings.data_dir.origin.starts_with("flag")) {
      const std::string flag = absl::StrCat(" --data-dir ", Quoted(settings.data_dir.value));
      session.next.run_flags += flag;
      session.next.store_flags += flag;
    }
    if (options.use == SessionUse::kRead)
      session.target = {.kind = launch::Target::Kind::kLocal, .count = 1};
  }
  DL_ASSIGN_OR_RETURN(session.cluster, launch::Cluster::Start({.target = session.target,
                                                               .data_dir = session.data_dir,
                                                               .isa = options.isa}));
  return session;
}

StatusOr<Json> QueryJson(rpc::ClientService& client, const std::string& what,
                         const std::string& job) {
  DL_ASSIGN_OR_RETURN(rpc::QueryReply reply,
                      client.Query({.what = what, .job = job}, limits::kControlDeadline));
  return ParseJson(reply.json, "the master's answer");
}

StatusOr<std::string> CheckpointName(const std::string& name, rpc::ClientService& client) {
  if (name.find('@') != std::string::npos) return name;
  DL_ASSIGN_OR_RETURN(Json list, QueryJson(client, "checkpoints", name));
  if (!list.is_array() || list.empty()) {
    return NotFound({.message = absl::StrCat(name, " has no checkpoint"), .where = name});
  }
  return TextAt(list.back(), "checkpoint");
}

}  // namespace dl::cli

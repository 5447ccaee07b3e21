#include "cli/cluster_flags.h"

#include <filesystem>

#include "base/files.h"
#include "base/limits.h"

namespace dl::cli {
namespace {

StatusOr<ConfigFile> ReadConfigFile(const std::string& path) {
  DL_ASSIGN_OR_RETURN(std::string text, ReadFile(path, limits::kMaxJsonBytes));
  return ParseConfigFile(text, path);
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

}  // namespace dl::cli

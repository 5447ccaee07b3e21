#include "cli/clusters/cluster_flags.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/limits.h"

namespace dl::cli {
namespace {

StatusOr<ConfigFile> ReadConfigFile(const std::string& path) {
  DL_ASSIGN_OR_RETURN(std::string text, ReadFile(path, limits::kMaxJsonBytes));
  return ParseConfigFile(text, path);
}

}  // namespace

void ClusterFlags::DeclareOne(Flags& flags, std::string_view flag, const std::string& help) {
  for (const PlaceKey& place : PlaceKeys()) {
    if (place.flag != flag) continue;
    const std::string name(place.flag);
    flags.Text(name, std::string(place.metavar), values[name],
               help.empty() ? absl::StrCat(std::string(place.help),
                                           ". Environment: ", std::string(place.environment), ".")
                            : help);
  }
}

void ClusterFlags::DeclareConfig(Flags& flags) {
  flags.Text("--config", "FILE", config,
             "Read this config file after ~/.config/paravane/config.json");
}

void ClusterFlags::DeclareCredentials(Flags& flags) {
  for (const char* flag : {"--token-file", "--master-user", "--tls-ca", "--tls-cert", "--tls-key"})
    DeclareOne(flags, flag);
}

void ClusterFlags::Declare(Flags& flags) {
  for (const PlaceKey& place : PlaceKeys()) DeclareOne(flags, place.flag);
  DeclareConfig(flags);
}

std::string UserConfigPath(const Context& context) {
  auto home = context.environment.find("HOME");
  if (home == context.environment.end() || home->second.empty()) return "";
  return home->second + "/.config/paravane/config.json";
}

StatusOr<SettingSources> ClusterFlags::Sources(const Context& context) const {
  SettingSources sources{.place_flags = values, .environment = context.environment};
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

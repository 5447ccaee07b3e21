// The flags that select the cluster on which a command works, and its credentials.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "cli/settings.h"

namespace dl::cli {

struct ClusterFlags {
  std::map<std::string, std::string> values;  // by PlaceKey::flag; empty: not given
  std::string config;                         // value of --config; empty: not given

  // Declares the flags of all PlaceKeys(), and --config. The parser writes into this object, which
  // must exist until then.
  void Declare(Flags& flags);
  // Declares the flag of one PlaceKey, for commands that need only some. `help` replaces the common
  // help text if it is not empty.
  void DeclareOne(Flags& flags, std::string_view flag, const std::string& help = "");
  void DeclareConfig(Flags& flags);
  // Declares the flags by which a standing master and a client authenticate each other.
  void DeclareCredentials(Flags& flags);

  // Reads the config files: that of UserConfigPath, if it exists, and that of --config. Returns
  // their settings, the environment and these flags. The caller adds --set, --weights and the
  // common flags of a job. Errors are those of the config files.
  StatusOr<SettingSources> Sources(const Context& context) const;
  // Returns the settings of Sources() alone. Returns its errors and those of ResolveSettings.
  StatusOr<Settings> Resolve(const Context& context) const;
};

// Returns the path of ~/.config/paravane/config.json; empty if HOME is not set.
std::string UserConfigPath(const Context& context);

}  // namespace dl::cli

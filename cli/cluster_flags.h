// The flags that say where a command works, and by what it is let in there.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "cli/settings.h"

namespace dl::cli {

struct ClusterFlags {
  std::map<std::string, std::string> values;  // by PlaceKey::flag
  std::string config;

  // All of them, and --config.
  void Declare(Flags& flags);
  // One of them, for a command that has not all; `help` in place of the common one, if any.
  void DeclareOne(Flags& flags, std::string_view flag, const std::string& help = "");
  void DeclareConfig(Flags& flags);
  // Those by which a standing master and this side know each other.
  void DeclareCredentials(Flags& flags);

  // Files, environment and these flags; the caller adds --set and the common flags of a job.
  StatusOr<SettingSources> Sources(const Context& context) const;
  StatusOr<Settings> Resolve(const Context& context) const;
};

// ~/.config/paravane/config.json; empty without HOME.
std::string UserConfigPath(const Context& context);

}  // namespace dl::cli

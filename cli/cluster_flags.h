// The flags that say where a command works.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "cli/settings.h"

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

}  // namespace dl::cli

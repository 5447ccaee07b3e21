// Starts a command as a daemon that continues after the command (--detach).
#pragma once

#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "cli/settings.h"

namespace dl::cli {

// Returns whether the value of --token-file is "-" or a path below /dev. A second process may not
// be able to read such a file.
bool CanBeReadOnlyOnce(const std::string& token_file);

// Starts this command line without --detach as the daemon `name`. Waits as Daemons::Start does,
// with limits::kDetachTimeout. Then prints a line of JSON, also without --json: the daemon's own
// ready line, or {"type":"waiting",…} if it is not ready yet. The line also has `daemon`, `pid` and
// `log`, and `already` if the daemon was running before this call. Returns 0. If the daemon ends
// instead, returns its error with its exit code; Unavailable if it printed none. Returns UsageError
// for --log-file and for a name that no daemon can have, and errors of StateDir, OwnArguments,
// ReadTokenFile and Daemons::Start.
StatusOr<int> Detach(const std::string& name, const Settings& settings, Context& context);

}  // namespace dl::cli

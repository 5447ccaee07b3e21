// --detach: a daemon that runs on behind its command.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/command.h"
#include "cli/settings.h"

namespace dl::cli {

// Whether what a --token-file names can be read by one process alone: standard input, a descriptor.
bool IsReadOnce(const std::string& token_file);

// Starts this command line again, without --detach, as the daemon of that name. When it is ready,
// or has said nothing for a while, a line of JSON says how it is: its own ready line, or
// {"type":"waiting",…}, with `daemon`, `pid`, `log`, and `already` where it ran before. The exit
// code is 0, or that of a daemon that ended instead; its error is this one's.
StatusOr<int> Detach(const std::string& name, const Settings& settings, Context& context);

}  // namespace dl::cli

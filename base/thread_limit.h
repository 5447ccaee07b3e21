// Finds the limit on processes and threads that is reached first, and names it in errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace dl {

struct ThreadLimit {
  int64_t limit = 0;  // processes and threads
  int64_t used = 0;
  // For messages, for example "the limit of 64 processes and threads (FILE), of which 64 are used".
  std::string name;
};

// Returns the limit that allows the fewest further processes and threads. It is a limit of a
// control group (pids.max), of the user (`ulimit -u`) or of the machine. The limit of the user does
// not apply to root. Returns nullopt if no limit is known. Reads all of /proc if the user has a
// limit. `root`: see base/control_groups.h. Thread-safe.
std::optional<ThreadLimit> FindThreadLimit(const std::string& root = "");

// Returns the error for a failed start. `what` names what was started: "a thread", "the program
// /bin/true". `error` is an errno value. For EAGAIN and ENOMEM, the message names the likely cause,
// if it is found: a limit on processes and threads that is small or nearly reached, with its use,
// else a limit of memory that is nearly reached. The code is that of SystemError, which is
// Unavailable for EAGAIN and ENOMEM.
Status CannotStart(int error, const std::string& what);

}  // namespace dl

// The number of processes and threads that may be started, and the limit that bounds it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"

namespace dl {

struct ThreadLimit {
  int64_t limit = 0;  // processes and threads
  int64_t used = 0;
  std::string name;  // "the limit of 64 processes and threads (FILE), of which 64 are used"
};

// Returns the limit that leaves the fewest processes and threads to start: of a control group
// (pids.max), of the user (`ulimit -u`, which does not apply to root) or of the machine. Returns
// nullopt if no limit is known. Reads all of /proc. `root`: see base/control_groups.h. Thread-safe.
std::optional<ThreadLimit> FindThreadLimit(const std::string& root = "");

// Returns the error for a process or thread ("a thread", "the program /bin/true") that could not be
// started because of `error`, an errno value. The message names the limit that is the likely cause
// and its use, if one is nearly reached or small. Returns Unavailable for EAGAIN and ENOMEM, and
// the code of SystemError for others.
Status CannotStart(int error, const std::string& what);

}  // namespace dl

// The folder for state: --data-dir, else DL_DATA_DIR, else ~/.local/state/paravane.
#pragma once

#include <string>

#include "base/status.h"

namespace dl::launch {

// Returns the folder, which need not exist. `flag` is the value of --data-dir or empty. Returns
// InvalidArgument if the flag is empty and neither DL_DATA_DIR nor HOME is set. An empty variable
// counts as not set.
StatusOr<std::string> StateDir(const std::string& flag);

}  // namespace dl::launch

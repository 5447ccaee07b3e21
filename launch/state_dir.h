// Where state lives: --data-dir, else DL_DATA_DIR, else ~/.local/state/paravane.
#pragma once

#include <string>

#include "base/status.h"

namespace dl::launch {

// `flag` is the value of --data-dir or empty. InvalidArgument when there is neither that nor
// DL_DATA_DIR nor HOME.
StatusOr<std::string> StateDir(const std::string& flag);

}  // namespace dl::launch

// The file of the program that this process runs, and the folder that it works in.
#pragma once

#include <string>

#include "base/status.h"

namespace dl {

// Returns the absolute path of the program that this process runs, links resolved. Without /proc it
// is found by the name under which it was started. An error (exit code 74) says that /proc is not
// mounted.
StatusOr<std::string> OwnProgram();

// Returns the folder at which relative paths begin. An error (exit code 74) where that folder was
// removed or may not be read.
StatusOr<std::string> WorkingFolder();

}  // namespace dl

// The executable file of this process, and its working folder.
#pragma once

#include <string>

#include "base/status.h"

namespace dl {

// Returns the absolute path of this process's program, with links resolved. Without /proc it uses
// the name with which the program was started. If that is not a path either, returns an error (exit
// code 74) with the remedy to mount /proc.
StatusOr<std::string> OwnProgram();

// Returns the folder at which relative paths begin. Returns an error (exit code 74) if that folder
// was removed or cannot be read.
StatusOr<std::string> WorkingFolder();

}  // namespace dl

// A lock that admits one process at a time to a store's folder.
#pragma once

#include <string>

#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl::storage {

// Takes an flock on `dir`/LOCK, held as long as the descriptor exists. Returns FailedPrecondition
// with the folder if another process, or another store of this process, holds it, or if `dir` does
// not exist. Returns errors of the file system.
StatusOr<FileDescriptor> LockFolder(const std::string& dir);

}  // namespace dl::storage

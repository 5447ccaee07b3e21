// One process at a time in a store's folder.
#pragma once

#include <string>

#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl::storage {

// An flock on `dir`/LOCK, held as long as the descriptor lives. FailedPrecondition, naming the
// folder, when another process (or another store of this one) holds it.
StatusOr<FileDescriptor> LockFolder(const std::string& dir);

}  // namespace dl::storage

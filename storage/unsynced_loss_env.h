// A file system for crash tests: bytes reach the real file only when they are synced, so that a
// SIGKILL loses everything that a power cut might lose. Reads by the same process see the unsynced
// bytes too. Not covered: folder entries (a synced file keeps its name) and allocated but unwritten
// space. Private to this folder; switched on by `drop_unsynced_on_kill`.
#pragma once

#include <memory>

#include "rocksdb/file_system.h"

namespace dl::storage {

std::shared_ptr<rocksdb::FileSystem> NewUnsyncedLossFileSystem();

}  // namespace dl::storage

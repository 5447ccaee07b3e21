// A file system for crash tests. Bytes reach the real file only when they are synced, so a SIGKILL
// loses all bytes that a power cut might lose. A file that the same process opens for reading also
// has the unsynced bytes. Not covered: directory entries (a synced file keeps its name) and
// allocated but unwritten space. Private to this folder; enabled by `drop_unsynced_on_kill`.
#pragma once

#include <memory>

#include "rocksdb/file_system.h"

namespace dl::storage {

std::shared_ptr<rocksdb::FileSystem> NewUnsyncedLossFileSystem();

}  // namespace dl::storage

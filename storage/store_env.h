// The environment that RocksDB uses. Private to this folder.
#pragma once

#include <memory>

#include "rocksdb/env.h"

namespace dl::storage {

struct StoreEnvOptions {
  bool drop_unsynced_on_kill = false;  // tests: storage/unsynced_loss_env.h
};

// Returns the environment, or null if RocksDB's own is sufficient. It must outlive every database
// that was opened with it. If fail points are armed (base/fail_point.h), these changes of a
// database's files pass one before they are made: `store.write` (bytes appended), `store.sync` (a
// file or a folder), `store.entry` (a file is created, renamed, linked or deleted). The mark passes
// the first two also (storage/mark_file.h).
std::unique_ptr<rocksdb::Env> NewStoreEnv(const StoreEnvOptions& options);

}  // namespace dl::storage

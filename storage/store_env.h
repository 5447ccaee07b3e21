// The environment that RocksDB works in. Private to this folder.
#pragma once

#include <memory>

#include "rocksdb/env.h"

namespace dl::storage {

struct StoreEnvOptions {
  bool drop_unsynced_on_kill = false;  // tests: storage/unsynced_loss_env.h
};

// Null for RocksDB's own. Where fail points are armed, every change that a database makes to its
// files passes one: `store.write` (bytes appended), `store.sync` (of a file or a folder),
// `store.entry` (a file that is created, renamed, linked or deleted), each before the change. The
// mark passes them too (storage/mark_file.h). Must outlive every database that was opened with it.
std::unique_ptr<rocksdb::Env> NewStoreEnv(const StoreEnvOptions& options);

}  // namespace dl::storage

// The folder of an executor: its cache of data blocks, its crash note, and files of results that do
// not fit into memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "executor/crash_note.h"
#include "launch/daemons/data_folder.h"
#include "storage/block_cache.h"

namespace dl::launch {

// A full, read-only or hanging disk, or one with input/output errors, does not end an executor. The
// executor then works without the folder, or without the part that could not be opened, which is
// logged as a warning. `crash_note` and `cache` are null if they could not be opened. `cache` is
// also null if it was not requested.
struct ExecutorFolder {
  std::optional<DataFolder> lock;  // first member, so that the lock is released last
  std::string path;                // empty: no folder, temporary files go to TMPDIR
  std::unique_ptr<executor::CrashNote> crash_note;
  std::shared_ptr<storage::BlockCache> cache;  // see ExecutorOptions
};

struct ExecutorFolderOptions {
  std::string cache_dir;  // empty: the first folder in STATE_DIR/executors that is not in use
  std::string state_dir;
  int64_t cache_bytes = 0;  // 0: no block cache
};

// Opens or creates the folder. If the disk does not answer within DiskCalls::kLimit, returns an
// ExecutorFolder without a folder. Errors are:
//   - FailedPrecondition if another executor uses `cache_dir`, or if other executors use more than
//     limits::kMaxExecutors folders in STATE_DIR/executors.
//   - Unimplemented if `cache_bytes` is above 0 and a newer version wrote the block cache.
//   - the system's error if the folder cannot be opened and the disk is not the reason, for example
//     because this user may not use the folder.
StatusOr<ExecutorFolder> OpenExecutorFolder(const ExecutorFolderOptions& options);

}  // namespace dl::launch

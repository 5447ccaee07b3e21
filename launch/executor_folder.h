// An executor's own folder: its cache of data blocks, its crash note, and files of results that
// memory may not hold.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "executor/crash_note.h"
#include "launch/data_folder.h"
#include "storage/block_cache.h"

namespace dl::launch {

// A full or failing disk never ends an executor: what the folder cannot hold is null, with a
// warning.
struct ExecutorFolder {
  std::optional<DataFolder> held;  // before the others: it is given up last
  std::string path;                // empty: there is none, temporary files go to TMPDIR
  std::unique_ptr<executor::CrashNote> crash_note;
  std::unique_ptr<storage::BlockCache> cache;
};

struct ExecutorFolderOptions {
  std::string cache_dir;  // empty: the first folder in STATE_DIR/executors that is not in use
  std::string state_dir;
  int64_t cache_bytes = 0;  // 0: no cache of data blocks
};

// Errors: another executor uses the folder, it holds something else, or this user may not use it.
StatusOr<ExecutorFolder> OpenExecutorFolder(const ExecutorFolderOptions& options);

}  // namespace dl::launch

#include "launch/daemons/executor_folder.h"

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/disk_calls.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/system_error.h"

namespace dl::launch {
namespace {

// FailedPrecondition with an errno means that the folder cannot be created.
bool IsInUse(const Status& status) {
  return absl::IsFailedPrecondition(status) && SystemErrorNumber(status) == 0;
}

bool IsDiskTrouble(const Status& status) {
  switch (SystemErrorNumber(status)) {
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case ENODEV:
    case ENXIO:
    case ESTALE:
    case EUCLEAN:
    case EROFS:
    case EMFILE:
    case ENFILE:
      return true;
    default:
      return false;
  }
}

StatusOr<DataFolder> Take(const ExecutorFolderOptions& options, std::string& dir) {
  dir = options.cache_dir;
  if (!dir.empty()) {
    auto folder = DataFolder::Open(dir);
    if (!IsInUse(folder.status())) return folder;
    return FailedPrecondition({.message = "another executor uses this cache folder",
                               .where = dir,
                               .remedy = "Give each executor its own --cache-dir, or none"});
  }
  for (int i = 0;; ++i) {
    dir = absl::StrCat(options.state_dir, "/executors/", i);
    auto folder = DataFolder::Open(dir);
    if (!IsInUse(folder.status()) || i == limits::kMaxExecutors) return folder;
  }
}

// Waits for the disk without a limit.
StatusOr<ExecutorFolder> OpenOnDisk(const ExecutorFolderOptions& options) {
  ExecutorFolder folder;
  auto held = Take(options, folder.path);
  if (!held.ok() && !IsDiskTrouble(held.status())) return held.status();
  if (!held.ok()) {
    LogWarning("continuing without a cache folder: ", DescribeError(held.status()));
    folder.path.clear();
    return folder;
  }
  folder.lock.emplace(*std::move(held));
  auto note = executor::CrashNote::Open(folder.path + "/crash-note");
  if (note.ok()) {
    folder.crash_note = *std::move(note);
  } else {
    LogWarning("continuing without a crash note: ", DescribeError(note.status()));
  }
  if (options.cache_bytes <= 0) return folder;
  auto cache = storage::BlockCache::Open(folder.path, {.capacity_bytes = options.cache_bytes});
  if (cache.ok()) {
    folder.cache = *std::move(cache);
  } else if (IsInUse(cache.status()) || absl::IsUnimplemented(cache.status())) {
    return cache.status();
  } else {
    LogWarning("continuing without a cache of data blocks: ", DescribeError(cache.status()));
  }
  return folder;
}

}  // namespace

StatusOr<ExecutorFolder> OpenExecutorFolder(const ExecutorFolderOptions& options) {
  const std::string dir =
      options.cache_dir.empty() ? options.state_dir + "/executors" : options.cache_dir;
  DiskCalls disk({.what = "the cache folder " + dir,
                  .otherwise = "this executor works without it until its restart"});
  auto opened = disk.Run([options] { return OpenOnDisk(options); });
  return opened ? *std::move(opened) : ExecutorFolder();
}

}  // namespace dl::launch

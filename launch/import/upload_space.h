// The space that files of clients, and their imports, leave on the disk of a data folder.
#pragma once

#include <cstdint>
#include <string>

#include "base/limits.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/thread.h"
#include "launch/import/import_process.h"

namespace dl::launch {

// In bytes. The master's stores refuse new work below half of it, and the master ends when records
// have no space, so files of clients must not use the rest.
inline constexpr int64_t kReservedForStores = 2 * limits::kBulkMinFreeBytes;

// Returns ResourceExhausted if fewer than `left` bytes would stay free on the folder's disk after
// writing `more` bytes. `name` is the file for the message. Returns errors of the file system.
Status CheckUploadSpace(const std::string& folder, int64_t more, int64_t left,
                        const std::string& name);

// Kills an import as soon as fewer than `left` bytes are free on the disk of `folder`, because the
// size of its temporary files is not known before. Looks ten times a second.
class UploadSpaceWatch {
 public:
  // REQUIRES: `process` outlives this object.
  UploadSpaceWatch(ImportProcess& process, std::string folder, int64_t left);
  ~UploadSpaceWatch() { (void)Stop(); }
  UploadSpaceWatch(const UploadSpaceWatch&) = delete;
  UploadSpaceWatch& operator=(const UploadSpaceWatch&) = delete;

  // Ends the watch. Returns whether it killed the import. Idempotent; not thread-safe.
  bool Stop() DL_EXCLUDES(mutex_);

 private:
  void Watch() DL_EXCLUDES(mutex_);

  ImportProcess& process_;
  const std::string folder_;
  const int64_t left_;
  Mutex mutex_;
  CondVar changed_;
  bool stopped_ DL_GUARDED_BY(mutex_) = false;
  bool killed_ DL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace dl::launch

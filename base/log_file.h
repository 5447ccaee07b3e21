// Standard error in a file that stays small.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"

namespace dl {

// Sends the standard error of this process to a file: the log, and whatever else is written there.
// Once the file has limits::kMaxLogBytes it becomes PATH.old, in place of the one before.
// Thread-safe.
class LogFile {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)) {}

  // Appends from now on. Errors as base/system_error.h.
  Status Open() DL_EXCLUDES(mutex_);
  // Counts bytes that were written to standard error. If a new file cannot be made, the old one is
  // used on.
  void Count(int64_t bytes) DL_EXCLUDES(mutex_);

 private:
  Status Redirect() DL_REQUIRES(mutex_);

  const std::string path_;
  Mutex mutex_;
  int64_t bytes_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl

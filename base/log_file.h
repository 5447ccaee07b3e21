// Standard error in a file of bounded size.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"

namespace dl {

// Redirects the standard error of this process, including the log, to a file. When the counted
// bytes reach limits::kMaxLogBytes, the file is renamed to PATH.old, which replaces the previous
// PATH.old, and a new file begins. The destructor does not end the redirection. Thread-safe.
class LogFile {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)) {}

  // Starts the redirection. Lines are appended to an existing file, whose bytes count. Returns the
  // errors of base/system_error.h.
  Status Open() DL_EXCLUDES(mutex_);
  // Counts bytes that were written to standard error, and replaces a full file. Bytes that no call
  // counts do not fill the file. If the file cannot be renamed, or no new file can be created,
  // later lines are appended to the old file. The next attempt follows after as many bytes again.
  void Count(int64_t bytes) DL_EXCLUDES(mutex_);

 private:
  Status Redirect() DL_REQUIRES(mutex_);

  const std::string path_;
  Mutex mutex_;
  int64_t bytes_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl

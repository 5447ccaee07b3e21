#include "base/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file_descriptor.h"
#include "base/limits.h"
#include "base/system_error.h"

namespace dl {

Status LogFile::Open() {
  MutexLock lock(mutex_);
  return Redirect();
}

Status LogFile::Redirect() {
  const FileDescriptor file(open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  struct stat there = {};
  if (!file.valid() || fstat(file.get(), &there) != 0 || dup2(file.get(), STDERR_FILENO) < 0)
    return SystemError(errno, "open the log", path_);
  bytes_ = there.st_size;
  return absl::OkStatus();
}

void LogFile::Count(int64_t bytes) {
  MutexLock lock(mutex_);
  bytes_ += bytes;
  if (bytes_ < limits::kMaxLogBytes) return;
  bytes_ = 0;  // also on failure: the next attempt comes after as many bytes again
  // After an attempt whose Redirect failed, there is no file to rename.
  const bool is_renamed = rename(path_.c_str(), (path_ + ".old").c_str()) == 0 || errno == ENOENT;
  if (is_renamed) (void)Redirect();
}

}  // namespace dl

#include "security/audit_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/limits.h"
#include "base/system_error.h"

namespace dl::security {

Status AuditFile::Open() {
  FileDescriptor file(open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  struct stat there = {};
  if (!file.valid() || fstat(file.get(), &there) != 0)
    return SystemError(errno, "open the audit log", path_);
  if ((there.st_mode & 077) != 0 && fchmod(file.get(), 0600) != 0)
    return SystemError(errno, "restrict the audit log to its owner", path_);
  file_ = std::move(file);
  bytes_ = there.st_size;
  return absl::OkStatus();
}

// If no new file can be created, the old file is still written to.
Status AuditFile::Rotate() {
  if (rename(path_.c_str(), (path_ + ".1").c_str()) != 0 && errno != ENOENT)
    return SystemError(errno, "set the full audit log aside", path_);
  return Open();
}

Status AuditFile::Append(const std::string& line) {
  Status aside;
  if (bytes_ + static_cast<int64_t>(line.size()) > limits::kMaxAuditBytes) aside = Rotate();
  // Each line is a single write, so a kill leaves whole lines.
  const ssize_t written = write(file_.get(), line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) {
    bytes_ += written;
    return aside;
  }
  const int error = written < 0 ? errno : ENOSPC;
  // A partial line would damage the next line.
  if (written > 0 && ftruncate(file_.get(), bytes_) != 0) bytes_ += written;
  return SystemError(error, "write the audit log", path_);
}

}  // namespace dl::security

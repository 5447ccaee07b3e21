// A file of the audit log. It holds whole lines and has a bounded size.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl::security {

// Not thread-safe.
class AuditFile {
 public:
  // Lines are appended to `path`. If the next line would make the file longer than
  // limits::kMaxAuditBytes, the file is first renamed to PATH.1, which replaces the earlier PATH.1.
  explicit AuditFile(std::string path) : path_(std::move(path)) {}

  // Opens the file, or creates it for its owner alone (mode 0600). An existing file that others may
  // access gets this mode. Must be called once, before Append. Returns errors of the file system,
  // as does Append.
  Status Open();

  // Appends `line`, which must end with a newline. Returns an error in two cases:
  //   - The line was not written. Tries to remove a line that was written in part.
  //   - The full file could not be renamed, or no new file created. The line is then in the old
  //     file, and the next call tries again.
  Status Append(const std::string& line);

 private:
  Status Rotate();

  const std::string path_;
  FileDescriptor file_;
  int64_t bytes_ = 0;
};

}  // namespace dl::security

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
  // Lines are appended to `path`. Before the file would exceed limits::kMaxAuditBytes it is renamed
  // to PATH.1, which replaces the earlier PATH.1.
  explicit AuditFile(std::string path) : path_(std::move(path)) {}

  // Opens the file, or creates it. Only its owner may access it; an existing file with other
  // permissions gets these. Must be called once, before Append. Returns errors of the file system,
  // as does Append.
  Status Open();

  // Appends `line`, which must end with a newline. Returns an error if the line was not written, or
  // if it was written and the full file could not be renamed or replaced. Tries to remove a line
  // that was written in part.
  Status Append(const std::string& line);

 private:
  Status SetAside();

  const std::string path_;
  FileDescriptor file_;
  int64_t bytes_ = 0;
};

}  // namespace dl::security

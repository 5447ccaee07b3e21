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
  // Lines are appended to `path`. When the file reaches limits::kMaxAuditBytes it is renamed to
  // PATH.1, which replaces the previous one. Open must be called first.
  explicit AuditFile(std::string path) : path_(std::move(path)) {}
  Status Open();
  // Appends `line`, which must end with a newline. After an error the file still has whole lines.
  Status Append(const std::string& line);

 private:
  Status SetAside();

  const std::string path_;
  FileDescriptor file_;
  int64_t bytes_ = 0;
};

}  // namespace dl::security

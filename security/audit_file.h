// A file of the audit log: whole lines, and a bound of its size.
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
  // Lines are appended to `path`. A file of limits::kMaxAuditBytes becomes PATH.1, in place of the
  // one before. Open comes first.
  explicit AuditFile(std::string path) : path_(std::move(path)) {}
  Status Open();
  // `line` ends with a line end. After an error the file holds whole lines still.
  Status Append(const std::string& line);

 private:
  Status SetAside();

  const std::string path_;
  FileDescriptor file_;
  int64_t bytes_ = 0;
};

}  // namespace dl::security

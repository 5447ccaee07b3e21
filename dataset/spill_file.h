// A temporary file without a name: what was written into it is gone with the process, however that
// ends. For rows of a source that memory is not to hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl::dataset {

// Not thread-safe.
class SpillFile {
 public:
  // In `folder`; empty: the one that TMPDIR names, else /tmp. Errors name the folder.
  static StatusOr<std::unique_ptr<SpillFile>> Create(const std::string& folder);

  // ResourceExhausted when the disk is full, with what to do.
  Status WriteAt(int64_t offset, std::span<const std::byte> bytes);
  Status Append(std::span<const std::byte> bytes) { return WriteAt(bytes_, bytes); }
  // REQUIRES: those bytes were written.
  Status ReadAt(int64_t offset, std::span<std::byte> out) const;

  int64_t bytes() const { return bytes_; }  // to the end of what was written
  const std::string& folder() const { return folder_; }

 private:
  SpillFile(FileDescriptor file, std::string folder)
      : file_(std::move(file)), folder_(std::move(folder)) {}

  FileDescriptor file_;
  std::string folder_;
  int64_t bytes_ = 0;
};

}  // namespace dl::dataset

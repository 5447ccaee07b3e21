// A temporary file without a name: what was written into it is gone with the process, however that
// ends. For what memory is not to hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl {

// Not thread-safe.
class SpillFile {
 public:
  // For what errors say: "write WHAT to a temporary file". Literals.
  struct Purpose {
    const char* what;
    const char* remedy;
  };
  // In `folder`; empty: the one that TMPDIR names, else /tmp. Errors name the folder.
  static StatusOr<std::unique_ptr<SpillFile>> Create(const std::string& folder,
                                                     const Purpose& purpose);

  // ResourceExhausted when the disk is full, with what to do.
  Status WriteAt(int64_t offset, std::span<const std::byte> bytes);
  Status Append(std::span<const std::byte> bytes) { return WriteAt(bytes_, bytes); }
  // REQUIRES: those bytes were written.
  Status ReadAt(int64_t offset, std::span<std::byte> out) const;

  int64_t bytes() const { return bytes_; }  // to the end of what was written
  const std::string& folder() const { return folder_; }

 private:
  SpillFile(FileDescriptor file, std::string folder, const Purpose& purpose)
      : file_(std::move(file)), folder_(std::move(folder)), purpose_(purpose) {}

  FileDescriptor file_;
  std::string folder_;
  Purpose purpose_;
  int64_t bytes_ = 0;
};

}  // namespace dl

// A temporary file without a name, for data that does not fit into memory. It disappears with the
// process, however the process ends. On file systems without unnamed files it has a name for a
// moment, so a kill at that moment leaves an empty file.
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
  // Texts for errors. Must be literals.
  struct Purpose {
    const char* what;    // the data: "write WHAT to a temporary file"
    const char* remedy;  // of every error of Create and WriteAt
  };
  // Creates the file in `folder`; if that is empty, in the folder that TMPDIR (or TMP, TEMP,
  // TEMPDIR) names, else in /tmp. Errors name the folder, or TMPDIR if that names no folder, and
  // have the codes of base/system_error.h. Errors of the other methods name the folder and have
  // these codes.
  static StatusOr<std::unique_ptr<SpillFile>> Create(const std::string& folder,
                                                     const Purpose& purpose);

  // Writes the bytes. Returns ResourceExhausted if the disk is full.
  Status WriteAt(int64_t offset, std::span<const std::byte> bytes);
  Status Append(std::span<const std::byte> bytes) { return WriteAt(bytes_, bytes); }
  // Fills `out`. Returns DataLoss for bytes after the end of the written data.
  Status ReadAt(int64_t offset, std::span<std::byte> out) const;

  int64_t bytes() const { return bytes_; }  // end of the written data
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

// The few file operations of the stores that RocksDB does not do for us.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::storage {

// errno as a status: ENOSPC and EDQUOT are ResourceExhausted, everything else FailedPrecondition.
Status ErrnoStatus(int error, std::string_view what, const std::string& path);

bool FileExists(const std::string& path);
Status MakeDirectories(const std::string& dir);
Status SyncDirectory(const std::string& dir);

// The file appears whole or not at all, and stays: temporary file, fsync, rename, fsync of the
// folder.
Status WriteFileDurably(const std::string& path, std::string_view text);

// Owns a file descriptor.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// One process at a time: an flock on `dir`/LOCK, held as long as the handle lives.
// FailedPrecondition, naming the folder, when another process (or another store of this one) holds
// it.
StatusOr<FileHandle> LockDirectory(const std::string& dir);

}  // namespace dl::storage

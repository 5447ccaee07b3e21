// Room on the disk: RocksDB does not survive a full one in the middle of a log write (Debian's
// build aborts the process), so a write is refused before it starts.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace dl::storage {

// Bytes that an unprivileged process may still write to the file system of `path`.
StatusOr<int64_t> FreeBytes(const std::string& path);

// ResourceExhausted when fewer than `needed` are free.
Status RequireFreeBytes(const std::string& path, int64_t needed);

// A file that holds disk space back. Not thread-safe.
class Ballast {
 public:
  Ballast(std::string path, int64_t bytes) : path_(std::move(path)), bytes_(bytes) {}

  // Allocates the file if the disk has room for it and `keep_free` besides. A full disk is not an
  // error.
  void Hold(int64_t keep_free);
  void Release();
  bool held() const { return held_; }

 private:
  std::string path_;
  int64_t bytes_;
  bool held_ = false;
};

}  // namespace dl::storage

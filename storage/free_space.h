// Free space on the disk. Writes are refused before they start, because Debian's build of RocksDB
// aborts the process if the disk becomes full during a log write.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace dl::storage {

// Returns the number of bytes that an unprivileged process may still write to the file system of
// `path`. Returns errors of the file system.
StatusOr<int64_t> FreeBytes(const std::string& path);

struct DiskSpace {
  int64_t size_bytes = 0;
  int64_t free_bytes = 0;  // as FreeBytes
};
// Returns the space of the file system of `path`. Returns errors of the file system.
StatusOr<DiskSpace> DiskSpaceOf(const std::string& path);

// Returns ResourceExhausted if fewer than `needed` bytes are free, and the errors of FreeBytes.
Status RequireFreeBytes(const std::string& path, int64_t needed);

// A file that reserves `bytes` of disk space until Release; 0: it never exists. The file stays when
// the object or the process ends. Not thread-safe.
class Ballast {
 public:
  Ballast(std::string path, int64_t bytes) : path_(std::move(path)), bytes_(bytes) {}

  // Allocates the file if at least `keep_free` bytes stay free after that. An existing file of this
  // size, for example from an earlier process, is used even if less is free. Reports no errors:
  // afterwards, held() returns whether the space is reserved. Does nothing if it is held.
  void Hold(int64_t keep_free);
  // Deletes the file.
  void Release();
  bool held() const { return held_; }

 private:
  std::string path_;
  int64_t bytes_;
  bool held_ = false;
};

}  // namespace dl::storage

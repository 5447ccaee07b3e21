// A file that exists only in memory, for readers that need a path.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace dl::inference {

class MemoryFile {
 public:
  // Returns a file with this content, or an error of the system.
  static StatusOr<MemoryFile> Create(std::string_view content);
  ~MemoryFile();
  MemoryFile(MemoryFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  MemoryFile& operator=(MemoryFile&&) = delete;

  // Valid in this process while this object lives.
  std::string path() const;

 private:
  explicit MemoryFile(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace dl::inference

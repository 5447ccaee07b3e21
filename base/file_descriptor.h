// A file descriptor of the operating system with an owner, which closes it.
#pragma once

#include <unistd.h>

#include <utility>

namespace dl {

// Owns one descriptor, or none (-1). The destructor closes it and ignores errors. Moving from an
// object leaves it without a descriptor; move assignment exchanges the descriptors of both objects.
// Not thread-safe.
class FileDescriptor {
 public:
  FileDescriptor() = default;  // no descriptor
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace dl

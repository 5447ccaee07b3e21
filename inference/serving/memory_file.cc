#include "inference/serving/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "base/system_error.h"

namespace dl::inference {

StatusOr<MemoryFile> MemoryFile::Create(std::string_view content) {
  MemoryFile file(memfd_create("rows", MFD_CLOEXEC));
  if (file.fd_ < 0) return SystemError(errno, "create", "a file in memory");
  while (!content.empty()) {
    const ssize_t written = write(file.fd_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(errno, "write", "a file in memory");
    content.remove_prefix(static_cast<size_t>(written));
  }
  return file;
}

MemoryFile::~MemoryFile() {
  if (fd_ >= 0) close(fd_);
}

std::string MemoryFile::path() const { return absl::StrCat("/proc/self/fd/", fd_); }

}  // namespace dl::inference

#include "storage/free_space.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/file_descriptor.h"
#include "base/system_error.h"

namespace dl::storage {

StatusOr<DiskSpace> DiskSpaceOf(const std::string& path) {
  struct statvfs info;
  if (statvfs(path.c_str(), &info) != 0) return SystemError(errno, "ask for free space", path);
  const auto block_bytes = static_cast<int64_t>(info.f_frsize);
  return DiskSpace{.size_bytes = static_cast<int64_t>(info.f_blocks) * block_bytes,
                   .free_bytes = static_cast<int64_t>(info.f_bavail) * block_bytes};
}

StatusOr<int64_t> FreeBytes(const std::string& path) {
  DL_ASSIGN_OR_RETURN(const DiskSpace space, DiskSpaceOf(path));
  return space.free_bytes;
}

Status RequireFreeBytes(const std::string& path, int64_t needed) {
  DL_ASSIGN_OR_RETURN(const int64_t free, FreeBytes(path));
  if (free >= needed) return absl::OkStatus();
  return ResourceExhausted({.message = "too little free space: " + std::to_string(free) +
                                       " bytes are left, " + std::to_string(needed) +
                                       " are needed; nothing was written",
                            .where = path,
                            .remedy = "Free space on the disk that holds the data folder."});
}

void Ballast::Hold(int64_t keep_free) {
  if (bytes_ <= 0 || held_) return;
  struct stat info;
  if (stat(path_.c_str(), &info) == 0 && int64_t{info.st_blocks} * 512 >= bytes_) {
    held_ = true;
    return;
  }
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  if (!RequireFreeBytes(folder, bytes_ + keep_free).ok()) return;
  const FileDescriptor file(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!file.valid()) return;
  held_ = posix_fallocate(file.get(), 0, bytes_) == 0;
  if (!held_) unlink(path_.c_str());
}

void Ballast::Release() {
  unlink(path_.c_str());
  held_ = false;
}

}  // namespace dl::storage

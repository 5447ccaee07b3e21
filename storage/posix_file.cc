#include "storage/posix_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace dl::storage {

Status ErrnoStatus(int error, std::string_view what, const std::string& path) {
  ErrorText text{.message = std::string(what) + ": " + std::strerror(error), .where = path};
  if (error == ENOSPC || error == EDQUOT) {
    text.remedy = "Free space on the disk that holds the data folder.";
    return ResourceExhausted(std::move(text));
  }
  return FailedPrecondition(std::move(text));
}

bool FileExists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

Status MakeDirectories(const std::string& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) return ErrnoStatus(error.value(), "cannot make the folder", dir);
  return absl::OkStatus();
}

Status SyncDirectory(const std::string& dir) {
  const FileHandle handle(open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() < 0) return ErrnoStatus(errno, "cannot open the folder", dir);
  if (fsync(handle.get()) != 0) return ErrnoStatus(errno, "cannot sync the folder", dir);
  return absl::OkStatus();
}

Status WriteFileDurably(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".new";
  {
    const FileHandle file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) return ErrnoStatus(errno, "cannot create", temporary);
    if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      return ErrnoStatus(errno == 0 ? ENOSPC : errno, "cannot write", temporary);
    if (fsync(file.get()) != 0) return ErrnoStatus(errno, "cannot sync", temporary);
  }
  if (rename(temporary.c_str(), path.c_str()) != 0)
    return ErrnoStatus(errno, "cannot rename to", path);
  return SyncDirectory(std::filesystem::path(path).parent_path().string());
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileHandle::~FileHandle() {
  if (fd_ >= 0) close(fd_);
}

StatusOr<FileHandle> LockDirectory(const std::string& dir) {
  const std::string path = dir + "/LOCK";
  FileHandle handle(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (handle.get() < 0) return ErrnoStatus(errno, "cannot open the lock", path);
  if (flock(handle.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return ErrnoStatus(errno, "cannot lock", path);
    return FailedPrecondition({.message = "another process has the store open",
                               .where = dir,
                               .remedy = "Stop it first, or use another data folder."});
  }
  return handle;
}

}  // namespace dl::storage

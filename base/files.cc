#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/fail_point.h"
#include "base/file_descriptor.h"
#include "base/system_error.h"

namespace dl {
namespace {

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(errno, "write the file", path);
    bytes.remove_prefix(written);
  }
  return absl::OkStatus();
}

constexpr mode_t kForAll = 0644;
constexpr mode_t kForOwner = 0600;

Status WriteDurably(const std::string& temporary, mode_t mode, ByteContent content,
                    const std::string& path) {
  FileDescriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.valid()) return CreationError(errno, "create a file beside it", path);
  DL_RETURN_IF_ERROR(FailPoint("file.write"));
  DL_RETURN_IF_ERROR(
      content([&](std::string_view bytes) { return WriteAll(file.get(), bytes, path); }));
  DL_RETURN_IF_ERROR(FailPoint("file.sync"));
  if (fsync(file.get()) != 0) return SystemError(errno, "sync the file", path);
  DL_RETURN_IF_ERROR(FailPoint("file.rename"));
  if (rename(temporary.c_str(), path.c_str()) != 0)
    return SystemError(errno, "replace the file", path);
  return absl::OkStatus();
}

// Resolves symbolic links in `path`. The target need not exist.
StatusOr<std::string> FollowLinks(const std::string& path) {
  constexpr int kMaxLinks = 40;  // as the kernel counts
  std::filesystem::path at = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code error;
    if (!std::filesystem::is_symlink(at, error)) return at.string();
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) return SystemError(error.value(), "follow the link", path);
    at = at.parent_path() / target;  // an absolute target replaces the parent
  }
  return SystemError(ELOOP, "follow the link", path);
}

Status WriteThrough(const std::string& path, ByteContent content) {
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) return SystemError(errno, "open for writing", path);
  return content([&](std::string_view bytes) { return WriteAll(file.get(), bytes, path); });
}

Status AtomicWrite(const std::string& path, mode_t mode, ByteContent content) {
  struct stat there = {};
  if (lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode)) {
    return FailedPrecondition(
        {.message = "cannot replace this path because it is not a regular file",
         .where = path,
         .remedy = "Give another path"});
  }
  // Unique among processes and threads. A file that a crash leaves ends in ".tmp".
  static std::atomic<uint64_t> counter{0};
  const std::string temporary =
      absl::StrCat(path, ".", getpid(), ".", counter.fetch_add(1), ".tmp");
  if (Status status = WriteDurably(temporary, mode, content, path); !status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  return SyncFolder(FolderOf(path));
}

}  // namespace

StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return SystemError(errno, "open the file", path);
  constexpr int64_t kStep = 1 << 20;
  std::string bytes;
  while (true) {
    const size_t have = bytes.size();
    // Requests one byte more than the limit, to detect a longer file.
    const int64_t step = std::min(kStep, max_bytes - static_cast<int64_t>(have) + 1);
    bytes.resize(have + step);
    const ssize_t got = read(file.get(), bytes.data() + have, step);
    bytes.resize(have + std::max<ssize_t>(got, 0));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(errno, "read the file", path);
    if (got == 0) return bytes;
    if (static_cast<int64_t>(bytes.size()) > max_bytes) {
      return ResourceExhausted(
          {.message = absl::StrCat("the file is longer than the limit of ", max_bytes, " bytes"),
           .where = path});
    }
  }
}

Status AtomicWriteFile(const std::string& path, std::string_view bytes) {
  return AtomicWrite(path, kForAll, [&](ByteSink sink) { return sink(bytes); });
}

Status AtomicWriteSecret(const std::string& path, std::string_view bytes) {
  return AtomicWrite(path, kForOwner, [&](ByteSink sink) { return sink(bytes); });
}

Status WriteOutputFile(const std::string& path, ByteContent content) {
  // Uses the path itself, because the links in /proc/self/fd may lead to targets without a name.
  struct stat there = {};
  if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    return WriteThrough(path, content);
  DL_ASSIGN_OR_RETURN(const std::string target, FollowLinks(path));
  return AtomicWrite(target, kForAll, content);
}

Status SyncFolder(const std::string& path) {
  FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return SystemError(errno, "open the folder", path);
  if (fsync(folder.get()) != 0) return SystemError(errno, "sync the folder", path);
  return absl::OkStatus();
}

Status CreateFolders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return CreationError(error.value(), "create the folder", path);
  return absl::OkStatus();
}

Status CreateSecretFolder(const std::string& path) {
  std::string folder = path;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  DL_RETURN_IF_ERROR(CreateFolders(FolderOf(folder)));
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return CreateFolders(folder);
  return CreationError(errno, "create the folder", path);
}

}  // namespace dl

#include "storage/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "base/system_error.h"

namespace dl::storage {

StatusOr<FileDescriptor> LockFolder(const std::string& dir) {
  const std::string path = dir + "/LOCK";
  FileDescriptor lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock.valid()) return CreationError(errno, "open the lock", path);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return SystemError(errno, "lock the folder", path);
  return FailedPrecondition({.message = "another process has the store open",
                             .where = dir,
                             .remedy = "Stop it first, or use another data folder."});
}

}  // namespace dl::storage

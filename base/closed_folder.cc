#include "base/closed_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/log.h"
#include "base/system_error.h"

namespace dl {

Status CreateClosedFolder(const std::string& path) {
  constexpr mode_t kOthers = 077, kRights = 07777;
  DL_RETURN_IF_ERROR(CreateSecretFolder(path));
  struct stat there = {};
  if (stat(path.c_str(), &there) != 0) return SystemError(errno, "look at the folder", path);
  // The folder of another user, for example when root works in it, is left unchanged.
  if ((there.st_mode & kOthers) == 0 || there.st_uid != geteuid()) return absl::OkStatus();
  if (chmod(path.c_str(), there.st_mode & kRights & ~kOthers) != 0) {
    LogWarning("other users of this machine can read the folder ", path, ": ",
               DescribeError(SystemError(errno, "close the folder", path)));
    return absl::OkStatus();
  }
  LogInfo("removed the permissions of other users from the folder ", path);
  return absl::OkStatus();
}

}  // namespace dl

// Tests whether a lock that one machine holds in a shared folder is visible on another machine.
#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "cli/clusters/doctor.h"
#include "launch/daemons/data_folder.h"

namespace dl::cli {

// A folder inside a data folder that is locked like a data folder of a master. Other machines look
// at it with CheckLockProbe(). The destructor removes it.
class LockProbe {
 public:
  // Creates and locks the folder. Returns the errors of launch::DataFolder::Open. REQUIRES: the
  // data folder exists.
  static StatusOr<LockProbe> In(const std::string& data_dir);
  LockProbe(LockProbe&& other) noexcept
      : path_(std::exchange(other.path_, "")), folder_(std::move(other.folder_)) {}
  LockProbe& operator=(LockProbe&&) = delete;
  ~LockProbe();

  const std::string& path() const { return path_; }

 private:
  LockProbe(std::string path, launch::DataFolder folder)
      : path_(std::move(path)), folder_(std::move(folder)) {}

  std::string path_;  // empty after a move
  launch::DataFolder folder_;
};

// Checks whether this machine sees the lock of a LockProbe on another machine. Fails if the path
// exists here and the lock is not visible. The check is OK if the path does not exist, because the
// folder is not shared then. If the data folder exists here, waits up to limits::kSharedFileLag for
// the path to become visible.
Check CheckLockProbe(const std::string& path);

}  // namespace dl::cli

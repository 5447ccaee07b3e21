// Whether a lock that one machine holds in a shared folder is visible on another machine.
#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "cli/doctor.h"
#include "launch/data_folder.h"

namespace dl::cli {

// A folder inside of a data folder, locked as a master locks a data folder. Other machines look at
// it with CheckLockProbe(). Removed by the destructor.
class LockProbe {
 public:
  // REQUIRES: the data folder exists.
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

// Whether this machine sees the lock of a LockProbe of another machine. A path that does not exist
// here is a folder that is not shared. Waits for limits::kSharedFileLag until the path is seen.
Check CheckLockProbe(const std::string& path);

}  // namespace dl::cli

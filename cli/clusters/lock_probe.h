// Tests whether a lock that one machine holds in a shared folder is visible on another machine.
#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "cli/clusters/doctor.h"
#include "launch/daemons/data_folder.h"

namespace dl::cli {

// A temporary folder inside a data folder, which is locked as a master locks its data folder. Other
// machines look for its lock with CheckLockProbe(). The destructor removes the folder.
class LockProbe {
 public:
  // Creates and locks a folder with a unique name. Returns the errors of UniqueNumber and
  // launch::DataFolder::Open. REQUIRES: the data folder exists.
  static StatusOr<LockProbe> Create(const std::string& data_dir);
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

// Checks whether this machine sees the lock of a LockProbe on another machine. `path` is
// LockProbe::path(). If the parent folder of `path` exists here, first waits up to
// limits::kSharedFileLag until the holder file of the probe is visible. Then the result is
//   - kOk if that file is not visible. The machines then do not share the data folder, or this user
//     may not enter the folder of the probe.
//   - kOk if the lock of the file is visible.
//   - kFailed if only the file is visible, or if this user may not open the file.
Check CheckLockProbe(const std::string& path);

}  // namespace dl::cli

#include "cli/clusters/lock_probe.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/unique.h"
#include "launch/pause.h"

namespace dl::cli {
namespace {

// Checks for the holder file as well, because another machine may see it later than its folder.
bool IsSeen(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path + "/holder", error);
}

}  // namespace

StatusOr<LockProbe> LockProbe::Create(const std::string& data_dir) {
  DL_ASSIGN_OR_RETURN(const uint64_t number, UniqueNumber());
  std::string path = absl::StrCat(data_dir, "/lock-probe-", number);
  DL_ASSIGN_OR_RETURN(launch::DataFolder folder, launch::DataFolder::Open(path));
  return LockProbe(std::move(path), std::move(folder));
}

LockProbe::~LockProbe() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

Check CheckLockProbe(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  const Instant end = Clock::Real().Now() + limits::kSharedFileLag;
  while (!IsSeen(path) && std::filesystem::exists(folder, error) && Clock::Real().Now() < end)
    launch::Pause(std::chrono::milliseconds(100));
  if (!IsSeen(path)) {
    return Good("lock", absl::StrCat(folder.string(),
                                     " is not the other machine's folder, so no "
                                     "lock is needed between them"));
  }
  if (launch::DataFolder::Holder(path)) {
    return Good("lock", absl::StrCat("the lock that the other machine holds in ", folder.string(),
                                     " is visible here"));
  }
  return Failed(
      "lock",
      FailedPrecondition(
          {.message = absl::StrCat("the lock that the other machine holds in ", folder.string(),
                                   " is not visible here: two masters could use the folder"),
           .remedy = "Mount the file system with locks between machines, or keep the data folder "
                     "on a disk of the master's machine"}));
}

}  // namespace dl::cli

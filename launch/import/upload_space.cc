#include "launch/import/upload_space.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "storage/free_space.h"

namespace dl::launch {

Status CheckUploadSpace(const std::string& folder, int64_t more, int64_t left,
                        const std::string& name) {
  DL_ASSIGN_OR_RETURN(const int64_t free, storage::FreeBytes(folder));
  if (free - left >= more) return absl::OkStatus();
  return ResourceExhausted(
      {.message =
           absl::StrCat("the disk of the master has ", std::max<int64_t>(0, free - left) >> 20,
                        " MiB for files of clients, too little for this file"),
       .where = name,
       .remedy = "Delete jobs that are no longer needed, or send a smaller file"});
}

UploadSpaceWatch::UploadSpaceWatch(ImportProcess& process, std::string folder, int64_t left)
    : process_(process),
      folder_(std::move(folder)),
      left_(left),
      thread_("upload room", [this] { Watch(); }) {}

void UploadSpaceWatch::Watch() {
  constexpr auto kCheckInterval = std::chrono::milliseconds(100);
  MutexLock lock(mutex_);
  while (!stopped_) {
    // The space of a disk that does not answer is unknown, and an import does not fill it.
    const auto free = storage::FreeBytes(folder_);
    if (free.ok() && *free < left_) {
      killed_ = true;
      process_.Kill();
      return;
    }
    changed_.WaitFor(mutex_, kCheckInterval);
  }
}

bool UploadSpaceWatch::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
  MutexLock lock(mutex_);
  return killed_;
}

}  // namespace dl::launch

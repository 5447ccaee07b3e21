#include "base/open_files.h"

#include <sys/resource.h>

#include <algorithm>

#include "base/limits.h"

namespace dl {

int64_t RaiseOpenFileLimit() {
  constexpr rlim_t kMany = 1 << 20;  // used if there is no limit
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 1024;
  if (files.rlim_cur < files.rlim_max) {
    rlimit raised = files;
    raised.rlim_cur = files.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) files = raised;
  }
  return static_cast<int64_t>(std::min(files.rlim_cur, kMany));
}

int64_t TableFilesOf(int64_t files) {
  return std::clamp(files / 8, limits::kMinOpenTableFiles, limits::kMaxOpenTableFiles);
}

int64_t ConnectionsOf(int64_t files) {
  return std::max<int64_t>(1, (files - 2 * TableFilesOf(files) - limits::kFilesOfProcess) / 2);
}

}  // namespace dl

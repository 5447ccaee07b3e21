#include "base/open_files.h"

#include <sys/resource.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
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
  return std::max<int64_t>(1, (files - 2 * TableFilesOf(files) - limits::kReservedFiles) / 2);
}

int64_t ConnectionsOfOneAddress(int64_t connections) { return connections - connections / 8; }

Status RequireConnections(int64_t connections) {
  constexpr int64_t kMinFiles = 128;
  constexpr int64_t kStep = 16;
  const int64_t files = RaiseOpenFileLimit();
  int64_t needed = kMinFiles;
  while (ConnectionsOfOneAddress(ConnectionsOf(needed)) < connections) needed += kStep;
  if (files >= needed) return absl::OkStatus();
  return ResourceExhausted(
      {.message = absl::StrCat("this process may open too few files: ulimit -n of ", files,
                               "; its stores, logs and connections need up to ", needed),
       .where = "ulimit -n",
       .remedy = absl::StrCat("Raise the hard limit to ", needed,
                              " or more: ulimit -Hn, or LimitNOFILE= of a systemd unit")});
}

}  // namespace dl

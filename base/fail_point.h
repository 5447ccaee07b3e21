// Named points in the code at which a test makes something fail. They cost one relaxed load when
// nothing is armed.
//
//   DL_FAIL_POINTS="commit.synced=kill@3;block.read=error@2;master.reply=stop"
//
// arms `commit.synced` to SIGKILL the process at the third time, `block.read` to return an error
// the second time, `master.reply` to SIGSTOP it the first time (it goes on after a SIGCONT).
// `abort` is a SIGABRT, as of a bug; `hang` holds the thread there for ever, as a disk that does
// not answer. `@2+` means the second time and ever after. A path at the end (`abort@30/tmp/x/once`)
// is a file that the point makes when it acts: where it stands already, nothing happens, so one of
// the processes that share the list fails, once. A list that cannot be read makes every point fail:
// a test never passes because of a typing mistake.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace dl {
namespace internal {
extern std::atomic<bool> fail_points_armed;
Status HitFailPoint(std::string_view name);
}  // namespace internal

// Whether any is, or a list was there that cannot be read.
inline bool FailPointsArmed() {
  return internal::fail_points_armed.load(std::memory_order_relaxed);
}

// Thread-safe. Internal with the point's name as `where` when the point is armed to fail.
inline Status FailPoint(std::string_view name) {
  if (!FailPointsArmed()) return absl::OkStatus();
  return internal::HitFailPoint(name);
}

// Replaces what the environment said, for tests within one process; "" disarms all. Counts start
// anew.
Status ArmFailPoints(std::string_view list);
// How often an armed point was reached; 0 for others.
int64_t FailPointHits(std::string_view name);

}  // namespace dl

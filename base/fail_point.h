// Named points in the code at which a test can inject a failure. If nothing is armed, a point costs
// one relaxed load. An environment variable arms points:
//
//   DL_FAIL_POINTS="store.sync=kill@3;file.sync=error@2;executor.compute=stop"
//
// Here `store.sync` sends SIGKILL to the process the third time. `file.sync` returns an error the
// second time. `executor.compute` sends SIGSTOP to the process the first time. `abort` raises
// SIGABRT, as a bug would; `hang` blocks the thread forever, as an unresponsive disk would. `@2+`
// means the second time and every later time.
//
// A path at the end (`abort@30/tmp/x/once`) is a file that the point creates when it acts. If the
// file exists, the point does nothing, so only one of the processes that share the list fails,
// once. If the file cannot be created for another reason, the point acts.
//
// If the list cannot be parsed, every point fails, so that a typing mistake cannot make a test
// pass.
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

// Returns true if a list of fail points is set, also if it could not be parsed.
inline bool FailPointsArmed() {
  return internal::fail_points_armed.load(std::memory_order_relaxed);
}

// Passes the point. Returns Internal with the point's name as `where` if the point is armed with
// `error` for this time, or the error of a list that could not be parsed. Thread-safe.
inline Status FailPoint(std::string_view name) {
  if (!FailPointsArmed()) return absl::OkStatus();
  return internal::HitFailPoint(name);
}

// Replaces the list from the environment, for tests within one process. "" disarms all points.
// Counts restart at 0. Returns InvalidArgument if the list cannot be parsed; then every point
// fails. Thread-safe.
Status ArmFailPoints(std::string_view list);
// Returns how often an armed point was reached since it was armed, whether it acted or not. Returns
// 0 for other points. Thread-safe.
int64_t FailPointHits(std::string_view name);

}  // namespace dl

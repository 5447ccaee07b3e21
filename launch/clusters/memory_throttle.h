// Warns the user of a foreground run if the kernel slows it down because of a memory limit.
#pragma once

#include <string>
#include <utility>

#include "base/clock.h"

namespace dl::launch {

// Must be used by one thread.
class MemoryThrottle {
 public:
  // `root`: see base/control_groups.h.
  explicit MemoryThrottle(std::string root = "") : root_(std::move(root)) {}
  // Logs one warning, the first time that a limit slows this process down. Looks at most every 2 s.
  void WarnIfThrottled();

 private:
  const std::string root_;
  Instant next_;
  bool warned_ = false;
};

}  // namespace dl::launch

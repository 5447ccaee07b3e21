// A thread that writes the log of a daemon.
#pragma once

#include "base/clock.h"

namespace dl {

// While this exists, LogLine (base/log.h) only adds lines to a queue of 1 MiB, and a thread writes
// them. A pipe that no process reads, or a disk that hangs, then does not hold up the threads that
// log. Lines that find no room are dropped, and a line reports their number later. Without this
// object, LogLine writes itself, so that lines are in order with other text on standard error.
class LogThread {
 public:
  // REQUIRES: no other LogThread exists.
  LogThread();
  // Calls FlushLog().
  ~LogThread();
  LogThread(const LogThread&) = delete;
  LogThread& operator=(const LogThread&) = delete;
};

inline constexpr Duration kLogFlushTimeout = std::chrono::seconds(1);
// Waits until the lines that were logged are written, at most for `timeout`. Must be called before
// _exit() and exec(), which lose the other lines.
void FlushLog(Duration timeout = kLogFlushTimeout);

}  // namespace dl

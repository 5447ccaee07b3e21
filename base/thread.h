// The one way to start a thread. A named thread that joins itself.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "base/status.h"

namespace dl {

// Runs `body` on a new thread whose name (its first 15 characters) shows in top and gdb. Joins on
// destruction: the owner has to let the body end first. The thread blocks all signals except those
// of its own faults. Other signals reach the main thread.
class Thread {
 public:
  Thread() = default;
  // Starts the thread. If the system gives none, waits up to a second, and then ends the process
  // (base/process_end.h, exit code 75).
  Thread(std::string name, std::function<void()> body);
  // Returns Unavailable (base/thread_limit.h) where the system has no thread to give. For callers
  // that can work without.
  static StatusOr<Thread> Start(const std::string& name, std::function<void()> body);
  ~Thread() { Join(); }
  Thread(Thread&&) = default;
  Thread& operator=(Thread&& other);

  void Join();  // idempotent

 private:
  std::thread thread_;
};

}  // namespace dl

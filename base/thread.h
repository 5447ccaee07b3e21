// The only way to start a thread: a named thread that is joined by its destructor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/scheduler.h"
#include "base/status.h"

namespace dl {

// Runs `body` on a new thread, whose name (the first 15 characters) is shown by top and gdb. The
// destructor joins, so the owner must make the body end before. The thread blocks all signals
// except those of its own faults; other signals reach the main thread.
class Thread {
 public:
  Thread() = default;
  // Starts the thread. If the system has none, waits up to a second, then ends the process
  // (base/process_end.h, exit code 75).
  Thread(std::string name, std::function<void()> body);
  // Returns Unavailable (base/thread_limit.h) if the system has no thread. For callers that can
  // work without the thread.
  static StatusOr<Thread> Start(const std::string& name, std::function<void()> body);
  ~Thread() { Join(); }
  Thread(Thread&&) = default;
  Thread& operator=(Thread&& other);

  void Join();  // idempotent

 private:
  std::thread thread_;
  std::unique_ptr<Scheduler::StartedThread> scheduled_;  // instead of `thread_`, in some tests
};

}  // namespace dl

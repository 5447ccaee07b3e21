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
// destructor and the assignment of another thread join, so the owner must make the body end before.
// The thread blocks all signals except those of its own faults; other signals reach the main
// thread.
class Thread {
 public:
  Thread() = default;
  // Starts the thread. If the system has no thread, tries again for a second, then ends the process
  // (EndProcess with the error of CannotStart).
  Thread(std::string name, std::function<void()> body);
  // Returns the error of CannotStart (base/thread_limit.h) if the system has no thread. For callers
  // that can work without the thread.
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

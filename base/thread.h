// A named thread that is joined by its destructor. Paravane's code starts threads only in this way;
// libraries also start threads of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/scheduler.h"
#include "base/status.h"

namespace dl {

// Runs `body` on a new thread. top and gdb show the first 15 characters of its name. The
// destructor, and the assignment of another thread, wait until `body` returns. The owner must make
// `body` return before that. Signals that report a fault of the thread itself, such as SIGSEGV, are
// not blocked. All other signals are blocked in the thread, so signals to the process reach the
// main thread. Not thread-safe.
class Thread {
 public:
  Thread() = default;  // no thread
  // Starts the thread. If the system refuses, tries again for a second, then ends the process
  // (EndProcess with the error of CannotStart).
  Thread(std::string name, std::function<void()> body);
  // Starts a thread, for callers that can work without it. If the system refuses, returns the error
  // of CannotStart (base/thread_limit.h) at once.
  static StatusOr<Thread> Start(const std::string& name, std::function<void()> body);
  ~Thread() { Join(); }
  Thread(Thread&&) = default;
  Thread& operator=(Thread&& other);

  void Join();  // waits until `body` returns; idempotent

 private:
  std::thread thread_;
  std::unique_ptr<Scheduler::StartedThread> scheduled_;  // instead of `thread_`, in some tests
};

}  // namespace dl

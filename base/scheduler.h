// Replaces the operating system's threads, waits and clocks in tests that run on virtual time.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"

namespace dl {

// While a scheduler is installed, Thread (base/thread.h), CondVar (base/mutex.h) and Clock::Real()
// use it. All threads that it starts run in turn on the OS thread that installed it.
class Scheduler {
 public:
  // A thread that was started. REQUIRES: joined before it is destroyed.
  class StartedThread {
   public:
    virtual ~StartedThread() = default;
    virtual void Join() = 0;
  };

  virtual ~Scheduler() = default;
  virtual std::unique_ptr<StartedThread> Start(std::function<void()> body) = 0;
  // Suspends the running thread until the condition is notified or the time is over; nullopt: no
  // limit. May return earlier. The address of `condition` only identifies it.
  virtual void Wait(const void* condition, std::optional<Duration> timeout) = 0;
  virtual void NotifyOne(const void* condition) = 0;
  virtual void NotifyAll(const void* condition) = 0;
  virtual Clock& clock() = 0;

  // Returns the scheduler that is installed on the calling OS thread, or null.
  static Scheduler* Installed() { return installed_; }

 private:
  friend class InstalledScheduler;
  static inline constinit thread_local Scheduler* installed_ = nullptr;
};

// Installs a scheduler on the calling OS thread for its lifetime. Instances nest.
class InstalledScheduler {
 public:
  explicit InstalledScheduler(Scheduler* scheduler) : before_(Scheduler::installed_) {
    Scheduler::installed_ = scheduler;
  }
  ~InstalledScheduler() { Scheduler::installed_ = before_; }
  InstalledScheduler(const InstalledScheduler&) = delete;
  InstalledScheduler& operator=(const InstalledScheduler&) = delete;

 private:
  Scheduler* const before_;
};

}  // namespace dl

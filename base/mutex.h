// A std::mutex that clang's -Wthread-safety understands. Not absl::Mutex: Debian's library is not
// instrumented, so TSan reports races in correctly locked code.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/scheduler.h"

#if defined(__clang__)
#define DL_ANNOTATE_(x) __attribute__((x))
#else
#define DL_ANNOTATE_(x)
#endif

#define DL_CAPABILITY(x) DL_ANNOTATE_(capability(x))
#define DL_SCOPED_CAPABILITY DL_ANNOTATE_(scoped_lockable)
#define DL_GUARDED_BY(x) DL_ANNOTATE_(guarded_by(x))
#define DL_REQUIRES(...) DL_ANNOTATE_(requires_capability(__VA_ARGS__))
#define DL_EXCLUDES(...) DL_ANNOTATE_(locks_excluded(__VA_ARGS__))
#define DL_ACQUIRE(...) DL_ANNOTATE_(acquire_capability(__VA_ARGS__))
#define DL_RELEASE(...) DL_ANNOTATE_(release_capability(__VA_ARGS__))

namespace dl {

class DL_CAPABILITY("mutex") Mutex {
 public:
  void Lock() DL_ACQUIRE() {
    if (mutex_.try_lock()) return;
    Scheduler* const scheduler = Scheduler::Installed();
    if (scheduler == nullptr) return mutex_.lock();
    // The owner is a thread of the scheduler that waits while it holds the mutex.
    do {
      scheduler->Wait(this, std::chrono::milliseconds(1));
    } while (!mutex_.try_lock());
  }
  void Unlock() DL_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds the mutex for its lifetime.
class DL_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) DL_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() DL_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A condition variable. Waits may wake spuriously, so call them in a loop over the condition.
class CondVar {
 public:
  void Wait(Mutex& mutex) DL_REQUIRES(mutex) {
    if (Scheduler* const scheduler = Scheduler::Installed())
      return WaitIn(*scheduler, mutex, std::nullopt);
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // Waits at most `timeout`.
  void WaitFor(Mutex& mutex, std::chrono::nanoseconds timeout) DL_REQUIRES(mutex) {
    if (Scheduler* const scheduler = Scheduler::Installed())
      return WaitIn(*scheduler, mutex, timeout);
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait_for(lock, timeout);
    lock.release();
  }
  void NotifyOne() {
    if (Scheduler* const scheduler = Scheduler::Installed()) return scheduler->NotifyOne(this);
    condition_.notify_one();
  }
  void NotifyAll() {
    if (Scheduler* const scheduler = Scheduler::Installed()) return scheduler->NotifyAll(this);
    condition_.notify_all();
  }

 private:
  void WaitIn(Scheduler& scheduler, Mutex& mutex, std::optional<Duration> timeout)
      DL_REQUIRES(mutex) {
    mutex.Unlock();
    scheduler.Wait(this, timeout);
    mutex.Lock();
  }

  std::condition_variable condition_;
};

}  // namespace dl

// A first-in first-out queue of bounded length, shared by any number of threads. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"

namespace dl {

template <typename T>
class BoundedQueue {
 public:
  // REQUIRES: capacity > 0.
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) { DL_CHECK(capacity > 0); }

  // Waits at most `timeout` for room (zero: does not wait). Returns DeadlineExceeded if the queue
  // stayed full, Cancelled if the queue is closed. Moves from `item` only on success.
  Status Push(T& item, Duration timeout) DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const Instant end = Clock::Real().Now() + timeout;
    while (!closed_ && items_.size() >= capacity_) {
      if (!WaitUntil(room_, end)) return DeadlineExceeded({.message = "the queue stayed full"});
    }
    if (closed_) return Cancelled({.message = "the queue is closed"});
    items_.push_back(std::move(item));
    filled_.NotifyOne();
    return absl::OkStatus();
  }
  Status Push(T&& item, Duration timeout) { return Push(item, timeout); }

  // Waits at most `timeout` for an item. A closed queue still returns its items, then Cancelled.
  // Returns DeadlineExceeded if the queue stayed empty.
  StatusOr<T> Pop(Duration timeout) DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const Instant end = Clock::Real().Now() + timeout;
    while (!closed_ && items_.empty()) {
      if (!WaitUntil(filled_, end)) return DeadlineExceeded({.message = "the queue stayed empty"});
    }
    if (items_.empty()) return Cancelled({.message = "the queue is closed"});
    T item = std::move(items_.front());
    items_.pop_front();
    room_.NotifyOne();
    return item;
  }

  // Refuses further items and wakes all waiting threads. Idempotent.
  void Close() DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
    room_.NotifyAll();
    filled_.NotifyAll();
  }

  size_t size() const DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return items_.size();
  }
  size_t capacity() const { return capacity_; }

 private:
  // Returns false if `end` has passed.
  bool WaitUntil(CondVar& condition, Instant end) DL_REQUIRES(mutex_) {
    const Duration left = end - Clock::Real().Now();
    if (left <= Duration::zero()) return false;
    condition.WaitFor(mutex_, left);
    return true;
  }

  const size_t capacity_;
  mutable Mutex mutex_;
  CondVar room_, filled_;
  std::deque<T> items_ DL_GUARDED_BY(mutex_);
  bool closed_ DL_GUARDED_BY(mutex_) = false;
};

}  // namespace dl

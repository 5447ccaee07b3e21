// Receives the events of a merge engine that has no core.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <variant>

#include "base/mutex.h"
#include "master/core/master_events.h"

namespace dl::master {

// Thread-safe.
class EventInbox {
 public:
  void Post(Event event) {
    MutexLock lock(mutex_);
    events_.push_back(std::move(event));
    came_.NotifyAll();
  }
  // Waits for an event of type T. Events of other types that arrive before it are dropped.
  template <typename T>
  T WaitFor() {
    MutexLock lock(mutex_);
    for (;;) {
      while (events_.empty()) came_.Wait(mutex_);
      const Event event = std::move(events_.front());
      events_.pop_front();
      if (const T* wanted = std::get_if<T>(&event)) return *wanted;
    }
  }
  size_t size() {
    MutexLock lock(mutex_);
    return events_.size();
  }

 private:
  Mutex mutex_;
  CondVar came_;
  std::deque<Event> events_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::master

// Counts the bytes that move through a queue for every unit that waits in it. Heartbeats report the
// progress of each unit, and a unit that waits for its turn must not look stalled.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace dl::executor {

// Byte counter of a unit. Shared by the unit's computation, the queues in which it waits, and its
// readers.
using ByteCount = std::shared_ptr<std::atomic<int64_t>>;

// Thread-safe.
class MovedBytes {
 public:
  // Registers a counter for as long as the object exists. The queue must outlive it.
  class Waiting {
   public:
    Waiting(MovedBytes& queue, ByteCount count) : queue_(queue), count_(std::move(count)) {
      MutexLock lock(queue_.mutex_);
      queue_.waiting_.push_back(count_.get());
    }
    ~Waiting() {
      MutexLock lock(queue_.mutex_);
      queue_.waiting_.erase(
          std::find(queue_.waiting_.begin(), queue_.waiting_.end(), count_.get()));
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    MovedBytes& queue_;
    const ByteCount count_;
  };

  // Adds to the counters of all units that wait.
  void Add(int64_t bytes) {
    MutexLock lock(mutex_);
    for (std::atomic<int64_t>* count : waiting_) *count += bytes;
  }

 private:
  Mutex mutex_;
  std::vector<std::atomic<int64_t>*> waiting_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::executor

// Lets units that wait in a queue of transfers show progress. Bytes that move through the queue
// count for every unit in it. Heartbeats report the count of each unit, so a unit that waits for
// its turn does not look stalled.
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

// The counters of the units in one queue. Thread-safe.
class MovedBytes {
 public:
  // Registers the counter of a unit for as long as this object exists. `queue` must outlive this
  // object. `count` must not be null.
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

  // Adds `bytes` to all registered counters.
  void Add(int64_t bytes) {
    MutexLock lock(mutex_);
    for (std::atomic<int64_t>* count : waiting_) *count += bytes;
  }

 private:
  Mutex mutex_;
  std::vector<std::atomic<int64_t>*> waiting_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::executor

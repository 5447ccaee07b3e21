// Bytes that move for units through a queue, counted for whoever waits in it: the executor says in
// its heartbeats how far each unit is, and one whose turn has not come is not one that stands
// still.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace dl::executor {

// Shared by the unit's computation, the queues that it waits in, and who reads it.
using ByteCount = std::shared_ptr<std::atomic<int64_t>>;

// Thread-safe.
class MovedBytes {
 public:
  // Waits as long as it lives; the queue outlives it.
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

  void Add(int64_t bytes) {
    MutexLock lock(mutex_);
    for (std::atomic<int64_t>* count : waiting_) *count += bytes;
  }

 private:
  Mutex mutex_;
  std::vector<std::atomic<int64_t>*> waiting_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::executor

// A fixed number of threads that do work in the order in which it was posted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bounded_queue.h"
#include "base/thread.h"

namespace dl::web {

// Thread-safe.
class WorkerPool {
 public:
  // kLow: the threads, and threads that they start, have the lowest priority (nice 19), so they use
  // mostly processor time that nothing else needs.
  enum class Priority : uint8_t { kNormal, kLow };
  // `name` is shown as the name of the threads. `capacity` is the most pieces that wait.
  WorkerPool(const std::string& name, int threads, size_t capacity,
             Priority priority = Priority::kNormal);
  ~WorkerPool() { Stop(); }

  // Returns false, without effect, if too many pieces wait or after Stop.
  bool Post(std::function<void()> work);
  // Lets the threads do the work that still waits, then joins them. Idempotent. Must not be called
  // by the work.
  void Stop();

 private:
  BoundedQueue<std::function<void()>> queue_;
  std::vector<Thread> threads_;
};

}  // namespace dl::web

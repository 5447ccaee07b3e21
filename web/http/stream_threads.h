// A thread for each response that is written piece by piece.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"

namespace dl::web {

// Thread-safe.
class StreamThreads {
 public:
  explicit StreamThreads(int64_t most) : most_(most) {}
  ~StreamThreads() { Join(); }

  // Calls `body` on a new thread. Returns false if `most` threads run, the system has no thread, or
  // after Join.
  bool Start(std::function<void()> body) DL_EXCLUDES(mutex_);
  // Waits until all bodies return. They must have been told to return. A second call returns at
  // once.
  void Join() DL_EXCLUDES(mutex_);

 private:
  // Joins the threads whose bodies have returned.
  void JoinEnded() DL_REQUIRES(mutex_);

  const int64_t most_;
  Mutex mutex_;
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  uint64_t next_ DL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Thread> threads_ DL_GUARDED_BY(mutex_);
  std::vector<uint64_t> ended_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::web

// One thread and the work it has still to do, in order. What is queued when it is destroyed is
// dropped; what runs is finished.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "base/mutex.h"
#include "base/thread.h"

namespace dl {

// Thread-safe. The queue has no bound of its own: who posts bounds what it posts.
class WorkerThread {
 public:
  explicit WorkerThread(std::string name);
  ~WorkerThread();

  void Post(std::function<void()> work) DL_EXCLUDES(mutex_);
  size_t pending() const DL_EXCLUDES(mutex_);  // queued and running

 private:
  void Run() DL_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  CondVar wake_;
  std::deque<std::function<void()>> work_ DL_GUARDED_BY(mutex_);
  bool running_ DL_GUARDED_BY(mutex_) = false;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace dl

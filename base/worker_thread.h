// A work queue with a thread of its own. The contract is that of WorkQueue (base/work_queue.h); for
// example, the destructor drops queued work.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "base/mutex.h"
#include "base/thread.h"
#include "base/work_queue.h"

namespace dl {

class WorkerThread final : public WorkQueue {
 public:
  explicit WorkerThread(std::string name);
  ~WorkerThread() override;

  void Post(std::function<void()> work) override DL_EXCLUDES(mutex_);
  size_t pending() const DL_EXCLUDES(mutex_);  // number of queued and running pieces

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

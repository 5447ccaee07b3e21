#include "base/worker_thread.h"

namespace dl {

std::unique_ptr<WorkQueue> StartWorkerThread(std::string name) {
  return std::make_unique<WorkerThread>(std::move(name));
}

WorkerThread::WorkerThread(std::string name) : thread_(std::move(name), [this] { Run(); }) {}

WorkerThread::~WorkerThread() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    wake_.NotifyAll();
  }
  thread_.Join();
}

void WorkerThread::Post(std::function<void()> work) {
  MutexLock lock(mutex_);
  work_.push_back(std::move(work));
  wake_.NotifyOne();
}

size_t WorkerThread::pending() const {
  MutexLock lock(mutex_);
  return work_.size() + (running_ ? 1 : 0);
}

void WorkerThread::Run() {
  for (;;) {
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      running_ = false;
      while (work_.empty() && !stop_) wake_.Wait(mutex_);
      if (stop_) return;
      work = std::move(work_.front());
      work_.pop_front();
      running_ = true;
    }
    work();
  }
}

}  // namespace dl

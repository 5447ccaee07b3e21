#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "base/usable_cores.h"

namespace dl {
namespace {

// Moves the calling thread to a processor other than `processor`, if it may run on others. In a
// virtual machine, the kernel takes idle processors for unavailable: it wakes a thread on its
// waker's processor and leaves it there for milliseconds.
void MoveAwayFrom(int processor) {
  cpu_set_t allowed;
  if (sched_getcpu() != processor || sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) != 0) return;
  (void)sched_setaffinity(0, sizeof(allowed), &allowed);
}

// The work of one call. Threads may arrive after all of it is taken and its caller has returned, so
// they use `work` only after they have taken an index.
struct Task {
  Task(int64_t count_, absl::FunctionRef<void(int64_t)> work_) : count(count_), work(work_) {}

  void TakeTurns() {
    for (int64_t i = next++; i < count; i = next++) {
      work(i);
      MutexLock lock(mutex);
      if (++done == count) all_done.NotifyAll();
    }
  }
  void Wait() {
    MutexLock lock(mutex);
    while (done < count) all_done.Wait(mutex);
  }

  const int64_t count;
  const absl::FunctionRef<void(int64_t)> work;
  const int caller_on = sched_getcpu();
  std::atomic<int64_t> next{0};
  Mutex mutex;
  CondVar all_done;
  int64_t done DL_GUARDED_BY(mutex) = 0;
};

class SharedThreads {
 public:
  // Asks up to `wanted` threads to work, and starts those that are missing.
  void Ask(const std::shared_ptr<Task>& task, int64_t wanted) {
    size_t asked = 0;
    {
      MutexLock lock(mutex_);
      wanted = std::min<int64_t>(wanted, kMost);
      while (std::ssize(threads_) < wanted && !is_refused_) {
        auto thread =
            Thread::Start(absl::StrCat("dl-bulk-", threads_.size() + 1), [this] { Run(); });
        is_refused_ = !thread.ok();  // callers do the work of missing threads
        if (thread.ok()) threads_.push_back(*std::move(thread));
      }
      asked = std::min(threads_.size(), static_cast<size_t>(wanted));
      tasks_.insert(tasks_.end(), asked, task);
    }
    // After unlocking: a woken thread would wait for the lock and be placed on this processor.
    for (size_t i = 0; i < asked; ++i) wake_.NotifyOne();
  }

 private:
  static constexpr int64_t kMost = 15;  // with more threads, memory bandwidth is the limit

  void Run() {
    for (;;) {
      std::shared_ptr<Task> task;
      {
        MutexLock lock(mutex_);
        while (tasks_.empty()) wake_.Wait(mutex_);
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      MoveAwayFrom(task->caller_on);
      task->TakeTurns();
    }
  }

  Mutex mutex_;
  CondVar wake_;
  std::deque<std::shared_ptr<Task>> tasks_ DL_GUARDED_BY(mutex_);
  std::vector<Thread> threads_ DL_GUARDED_BY(mutex_);
  bool is_refused_ DL_GUARDED_BY(mutex_) = false;  // the system started no further thread
};

}  // namespace

void InParallel(int64_t count, absl::FunctionRef<void(int64_t)> work, int64_t most_threads) {
  static const int64_t cores = FindUsableCores().count;
  const int64_t threads = std::min(most_threads > 0 ? most_threads : cores, count);
  if (threads <= 1) {
    for (int64_t i = 0; i < count; ++i) work(i);
    return;
  }
  // Never destroyed: a process may end while the threads wait.
  static SharedThreads& shared = *new SharedThreads;
  const auto task = std::make_shared<Task>(count, work);
  shared.Ask(task, threads - 1);
  sched_yield();  // a thread woken on this processor moves away immediately
  task->TakeTurns();
  task->Wait();
}

}  // namespace dl

#include "web/http/worker_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace dl::web {

namespace {

constexpr int kLowest = 19;

// Only Linux has a priority for each thread. If it cannot be set, the thread runs with that of the
// process.
void LowerPriority() { (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kLowest); }

}  // namespace

WorkerPool::WorkerPool(const std::string& name, int threads, size_t capacity, Priority priority)
    : queue_(capacity) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back(name, [this, priority] {
      if (priority == Priority::kLow) LowerPriority();
      while (true) {
        StatusOr<std::function<void()>> work = queue_.Pop(std::chrono::seconds(60));
        if (work.ok()) {
          (*work)();
        } else if (absl::IsCancelled(work.status())) {
          return;
        }
      }
    });
  }
}

bool WorkerPool::Post(std::function<void()> work) {
  return queue_.Push(std::move(work), Duration::zero()).ok();
}

void WorkerPool::Stop() {
  queue_.Close();
  threads_.clear();
}

}  // namespace dl::web

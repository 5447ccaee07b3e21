#include "web/http/worker_pool.h"

#include <utility>

namespace dl::web {

WorkerPool::WorkerPool(const std::string& name, int threads, size_t capacity) : queue_(capacity) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back(name, [this] {
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

#include "executor/executor_event_queue.h"

#include <utility>

namespace dl::executor {

void EventQueue::Post(Event event) {
  MutexLock lock(mutex_);
  queue_.push_back(std::move(event));
  wake_.NotifyAll();
}

void EventQueue::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  wake_.NotifyAll();
}

std::optional<std::vector<Event>> EventQueue::Take(Instant deadline) {
  MutexLock lock(mutex_);
  while (queue_.empty() && !closed_) {
    const Duration left = deadline == Instant::Max() ? Duration(std::chrono::hours(1))
                                                     : deadline - Clock::Real().Now();
    if (left <= Duration::zero()) return {{Tick{}}};
    wake_.WaitFor(mutex_, left);
  }
  if (closed_) return std::nullopt;
  return std::exchange(queue_, {});
}

}  // namespace dl::executor

#include "master/gateway/event_queue.h"

#include <utility>

namespace dl::master {

void EventQueue::Post(Event event) {
  MutexLock lock(mutex_);
  events_.push_back({Clock::Real().Now(), std::move(event)});
  came_.NotifyOne();
}

std::optional<std::deque<Arrival>> EventQueue::Take(Instant due) {
  MutexLock lock(mutex_);
  for (;;) {
    if (closed_) return std::nullopt;
    if (!events_.empty()) return std::exchange(events_, {});
    const Instant now = Clock::Real().Now();
    const Duration left = due == Instant::Max() ? Duration(std::chrono::hours(1)) : due - now;
    if (left <= Duration::zero()) return std::deque<Arrival>{{now, Tick{}}};
    came_.WaitFor(mutex_, left);
  }
}

void EventQueue::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  came_.NotifyAll();
}

}  // namespace dl::master

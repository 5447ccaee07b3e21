#include "rpc/watchdog.h"

#include <sys/socket.h>

#include <algorithm>

namespace dl::rpc {

Watchdog::Watchdog() : thread_("rpc-watchdog", [this] { Run(); }) {}

Watchdog::~Watchdog() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
}

uint64_t Watchdog::Arm(int fd, Instant deadline) {
  MutexLock lock(mutex_);
  deadline = std::min(deadline, cap_);
  const uint64_t id = next_++;
  armed_[id] = {fd, deadline};
  order_.insert({deadline, id});
  if (deadline < wakes_at_) changed_.NotifyAll();
  return id;
}

bool Watchdog::Disarm(uint64_t id) {
  MutexLock lock(mutex_);
  auto entry = armed_.find(id);
  if (entry == armed_.end()) return true;
  order_.erase({entry->second.deadline, id});
  armed_.erase(entry);
  return false;
}

void Watchdog::Change(uint64_t id, Instant deadline) {
  MutexLock lock(mutex_);
  auto entry = armed_.find(id);
  if (entry == armed_.end()) return;
  order_.erase({entry->second.deadline, id});
  entry->second.deadline = std::min(deadline, cap_);
  order_.insert({entry->second.deadline, id});
  if (entry->second.deadline < wakes_at_) changed_.NotifyAll();
}

void Watchdog::Cap(Instant latest) {
  MutexLock lock(mutex_);
  cap_ = std::min(cap_, latest);
  order_.clear();
  for (auto& [id, entry] : armed_) {
    entry.deadline = std::min(entry.deadline, cap_);
    order_.insert({entry.deadline, id});
  }
  changed_.NotifyAll();
}

void Watchdog::Run() {
  MutexLock lock(mutex_);
  while (!stop_) {
    if (order_.empty()) {
      wakes_at_ = Instant::Max();
      changed_.Wait(mutex_);
      continue;
    }
    const auto [deadline, id] = *order_.begin();
    const Instant now = Clock::Real().Now();
    if (now < deadline) {
      // The longest wait. The system would convert an infinite deadline into a time in the past.
      constexpr Duration kLongest = std::chrono::hours(1);
      const Duration wait = std::min(deadline - now, kLongest);
      wakes_at_ = now + wait;
      changed_.WaitFor(mutex_, wait);
      continue;
    }
    // Under the lock, so that Disarm returns before or after the shutdown. Otherwise the number
    // might already belong to another socket.
    ::shutdown(armed_[id].fd, SHUT_RDWR);
    armed_.erase(id);
    order_.erase(order_.begin());
  }
}

}  // namespace dl::rpc

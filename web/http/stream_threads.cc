#include "web/http/stream_threads.h"

#include <utility>

namespace dl::web {

bool StreamThreads::Start(std::function<void()> body) {
  MutexLock lock(mutex_);
  JoinEnded();
  if (closed_ || static_cast<int64_t>(threads_.size()) >= most_) return false;
  const uint64_t number = next_++;
  StatusOr<Thread> thread = Thread::Start("http-stream", [this, number, body = std::move(body)] {
    body();
    MutexLock end(mutex_);
    ended_.push_back(number);
  });
  if (!thread.ok()) return false;
  threads_.emplace(number, *std::move(thread));
  return true;
}

void StreamThreads::JoinEnded() {
  for (const uint64_t number : ended_) threads_.erase(number);
  ended_.clear();
}

void StreamThreads::Join() {
  std::map<uint64_t, Thread> threads;
  {
    MutexLock lock(mutex_);
    closed_ = true;
    threads.swap(threads_);
    ended_.clear();
  }
}

}  // namespace dl::web

#include "base/log_queue.h"

#include <utility>

namespace dl {

StatusOr<std::unique_ptr<LogQueue>> LogQueue::Start(Options options) {
  std::unique_ptr<LogQueue> queue(new LogQueue(std::move(options)));
  DL_ASSIGN_OR_RETURN(queue->thread_,
                      Thread::Start("log-file", [queue = queue.get()] { queue->Run(); }));
  return queue;
}

LogQueue::~LogQueue() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
}

void LogQueue::Push(std::string line) {
  MutexLock lock(mutex_);
  if (bytes_ + line.size() > options_.max_bytes) {
    ++dropped_;
    return;
  }
  bytes_ += line.size();
  lines_.push_back(std::move(line));
  changed_.NotifyAll();
}

bool LogQueue::Flush(Duration timeout) {
  const Instant end = Clock::Real().Now() + timeout;
  MutexLock lock(mutex_);
  while (is_writing_ || !lines_.empty()) {
    const Duration left = end - Clock::Real().Now();
    if (left <= Duration::zero()) return false;
    changed_.WaitFor(mutex_, left);
  }
  return true;
}

void LogQueue::Run() {
  for (;;) {
    std::vector<std::string> lines;
    int64_t dropped = 0;
    {
      MutexLock lock(mutex_);
      is_writing_ = false;
      changed_.NotifyAll();
      while (!stop_ && lines_.empty()) changed_.Wait(mutex_);
      if (lines_.empty()) return;
      is_writing_ = true;
      lines.swap(lines_);
      bytes_ = 0;
      dropped = std::exchange(dropped_, 0);
    }
    for (const std::string& line : lines) options_.write(line);
    if (dropped > 0) options_.on_dropped(dropped);
  }
}

}  // namespace dl

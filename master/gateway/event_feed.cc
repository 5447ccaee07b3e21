#include "master/gateway/event_feed.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "master/core/records/event_record.h"
#include "rpc/messages.h"

namespace dl::master {

void EventFeed::Append(const JobEvent& event) {
  std::string text = EventLine(event);
  const std::string& job = event.job;
  MutexLock lock(mutex_);
  const int64_t order = ++appended_;
  std::deque<Entry>& entries = events_[job];
  if (entries.empty()) oldest_.emplace(order, job);
  entries.push_back({.sequence = event.sequence,
                     .order = order,
                     .json = std::move(text),
                     .result = std::holds_alternative<ResultView>(event.content)});
  bytes_ += entries.back().bytes();
  if (static_cast<int64_t>(entries.size()) > bounds_.events_of_job) DropOldestOf(job);
  while (bytes_ > bounds_.bytes)
    // A copy, because the entry is erased with its job.
    DropOldestOf(std::string(oldest_.begin()->second));
  if (auto found = followers_.find(job); found != followers_.end())
    found->second.arrived.NotifyAll();
}

void EventFeed::DropOldestOf(const std::string& job) {
  auto found = events_.find(job);
  std::deque<Entry>& entries = found->second;
  bytes_ -= entries.front().bytes();
  oldest_.erase(entries.front().order);
  entries.pop_front();
  if (entries.empty()) {
    events_.erase(found);
  } else {
    oldest_.emplace(entries.front().order, job);
  }
}

int64_t EventFeed::First(const std::string& job) {
  MutexLock lock(mutex_);
  const auto found = events_.find(job);
  return found == events_.end() ? INT64_MAX : found->second.front().sequence;
}

rpc::EventsReply EventFeed::Read(const std::string& job, int64_t after, Duration wait) {
  const Instant deadline = Clock::Real().Now() + wait;
  rpc::EventsReply reply;
  reply.last = after;
  int64_t bytes = 0;
  MutexLock lock(mutex_);
  for (;;) {
    if (auto found = events_.find(job); found != events_.end()) {
      const std::deque<Entry>& entries = found->second;
      auto entry = std::ranges::upper_bound(entries, after, {}, &Entry::sequence);
      for (; entry != entries.end(); ++entry) {
        bytes += entry->bytes();
        if (!reply.events.empty() && bytes > limits::kMaxEventBytesPerReply) return reply;
        reply.events.push_back(entry->json);
        reply.last = entry->sequence;
        // A resumed job continues after its result, even if this reply ends with the result.
        reply.terminal = entry->result && std::next(entry) == entries.end();
        if (static_cast<int64_t>(reply.events.size()) == bounds_.events_of_reply) return reply;
      }
    }
    const Duration left = deadline - Clock::Real().Now();
    if (!reply.events.empty() || closed_ || left <= Duration::zero()) return reply;
    Followers& followers = followers_[job];
    ++followers.count;
    followers.arrived.WaitFor(mutex_, left);
    ++wake_ups_;
    if (--followers.count == 0) followers_.erase(job);
  }
}

int64_t EventFeed::waiting() {
  MutexLock lock(mutex_);
  int64_t count = 0;
  for (const auto& [job, followers] : followers_) count += followers.count;
  return count;
}

int64_t EventFeed::wake_ups() {
  MutexLock lock(mutex_);
  return wake_ups_;
}

void EventFeed::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  for (auto& [job, followers] : followers_) followers.arrived.NotifyAll();
}

}  // namespace dl::master

#include "master/event_feed.h"

#include "base/limits.h"

namespace dl::master {

void EventFeed::Append(const std::string& job, Json event) {
  MutexLock lock(mutex_);
  const int64_t sequence = next_++;
  const bool result = event.value("type", "") == "result";
  // The result line is the one documented for scripts: it carries no sequence number.
  if (!result) event["seq"] = sequence;
  std::deque<Entry>& entries = events_[job];
  entries.push_back({sequence, event.dump(), result});
  if (static_cast<int64_t>(entries.size()) > limits::kMaxEventsKept) entries.pop_front();
  arrived_.NotifyAll();
}

rpc::EventsReply EventFeed::Read(const std::string& job, int64_t after, Duration wait) {
  const Instant deadline = Clock::Real().Now() + wait;
  rpc::EventsReply reply;
  reply.last = after;
  MutexLock lock(mutex_);
  for (;;) {
    for (const Entry& entry : events_[job]) {
      if (entry.sequence <= after) continue;
      reply.events.push_back(entry.json);
      reply.last = entry.sequence;
      reply.terminal = entry.result;  // a resumed job goes on behind its result
      if (static_cast<int64_t>(reply.events.size()) == limits::kMaxEventsPerReply) return reply;
    }
    const Duration left = deadline - Clock::Real().Now();
    if (!reply.events.empty() || closed_ || left <= Duration::zero()) return reply;
    arrived_.WaitFor(mutex_, left);
  }
}

void EventFeed::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  arrived_.NotifyAll();
}

}  // namespace dl::master

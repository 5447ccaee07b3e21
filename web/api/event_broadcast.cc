#include "web/api/event_broadcast.h"

#include <algorithm>

#include "base/json.h"
#include "base/limits.h"

namespace dl::web {
namespace {

// How long a job is watched after its last reader.
constexpr Duration kWatchedUnread = std::chrono::seconds(30);
// Pause before the master is asked again after an error.
constexpr Duration kPause = std::chrono::seconds(1);

bool IsPassing(const Status& error) {
  return absl::IsUnavailable(error) || absl::IsDeadlineExceeded(error) ||
         absl::IsResourceExhausted(error);
}

// Returns the sequence number of an event, or nullopt for the result of a job, which has none.
std::optional<int64_t> NumberOf(const std::string& event) {
  const StatusOr<Json> json = ParseJson(event, "event");
  if (!json.ok() || !json->is_object()) return std::nullopt;
  const auto found = json->find("seq");
  if (found == json->end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

}  // namespace

rpc::EventsReply EventBroadcast::EventsAfter(const Watch& watch, int64_t after) {
  rpc::EventsReply reply{.last = after};
  for (const Watch::Event& event : watch.events) {
    if (event.number <= after) continue;
    reply.events.push_back(event.json);
    reply.last = event.number;
  }
  if (!watch.result.empty()) {
    reply.events.push_back(watch.result);
    reply.terminal = true;
  }
  return reply;
}

StatusOr<std::shared_ptr<EventBroadcast::Watch>> EventBroadcast::Find(const std::string& job,
                                                                      int64_t after) {
  std::erase_if(watches_, [](const auto& watch) { return watch.second->ended; });
  if (const auto found = watches_.find(job); found != watches_.end()) return found->second;
  if (watches_.size() >= kMostJobs) {
    return ResourceExhausted({.message = "the pages of too many jobs are open",
                              .remedy = "Close the pages of some jobs"});
  }
  auto watch = std::make_shared<Watch>();
  watch->from = watch->last = after;
  watch->read = Clock::Real().Now();
  DL_ASSIGN_OR_RETURN(watch->thread, Thread::Start("job-events", [this, job, watch = watch.get()] {
                        Run(job, *watch);
                      }));
  watches_[job] = watch;
  return watch;
}

StatusOr<rpc::EventsReply> EventBroadcast::Read(const std::string& job, int64_t after,
                                                Duration wait) {
  const Instant end = Clock::Real().Now() + wait;
  {
    MutexLock lock(mutex_);
    if (stop_) return Unavailable({.message = "the server stops"});
    DL_ASSIGN_OR_RETURN(const std::shared_ptr<Watch> watch, Find(job, after));
    while (after >= watch->from) {
      watch->read = Clock::Real().Now();
      DL_RETURN_IF_ERROR(watch->error);
      if (watch->last > after || !watch->result.empty()) return EventsAfter(*watch, after);
      if (stop_ || watch->read >= end) return rpc::EventsReply{.last = after};
      changed_.WaitFor(mutex_, end - watch->read);
    }
  }
  // The reader needs events that are not kept any more.
  return master_.Events({.job = job, .after = after}, limits::kControlDeadline);
}

void EventBroadcast::Add(Watch& watch, const StatusOr<rpc::EventsReply>& reply) {
  if (!reply.ok()) {
    if (IsPassing(reply.status())) return;
    watch.error = reply.status();
    watch.ended = true;
    return;
  }
  for (const std::string& event : reply->events) {
    if (const std::optional<int64_t> number = NumberOf(event)) {
      watch.events.push_back({*number, event});
      watch.last = *number;
    } else if (reply->terminal) {
      watch.result = event;
    }
  }
  while (watch.events.size() > kKept) {
    watch.from = watch.events.front().number;
    watch.events.pop_front();
  }
  watch.ended = reply->terminal;
}

void EventBroadcast::Run(const std::string& job, Watch& watch) {
  int64_t after = 0;
  {
    MutexLock lock(mutex_);
    after = watch.last;
  }
  while (true) {
    const StatusOr<rpc::EventsReply> reply =
        master_.Events({.job = job, .after = after, .wait_ms = limits::kLongPoll.count()},
                       limits::kLongPoll + limits::kControlDeadline);
    MutexLock lock(mutex_);
    Add(watch, reply);
    const bool unread = Clock::Real().Now() - watch.read > kWatchedUnread;
    if (stop_ || unread) watch.ended = true;
    changed_.NotifyAll();
    if (watch.ended) return;
    if (!reply.ok()) changed_.WaitFor(mutex_, kPause);
    after = watch.last;
  }
}

void EventBroadcast::Stop() {
  std::map<std::string, std::shared_ptr<Watch>> watches;
  {
    MutexLock lock(mutex_);
    stop_ = true;
    watches.swap(watches_);
    changed_.NotifyAll();
  }
  for (const auto& [job, watch] : watches) watch->thread.Join();
}

}  // namespace dl::web

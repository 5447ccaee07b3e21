#include "web/api/event_broadcast.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "rpc/remedy_text.h"

namespace dl::web {
namespace {

// How long a job is watched after its last reader.
constexpr Duration kUnreadTimeout = std::chrono::seconds(30);
// Pause before the master is asked again after an error.
constexpr Duration kPause = std::chrono::seconds(1);
// Least time between two writes of a stream, and its part for each stream.
constexpr Duration kMinWriteInterval = std::chrono::milliseconds(200);
constexpr Duration kWriteIntervalPerStream = std::chrono::milliseconds(20);

bool IsPassing(const Status& error) {
  return absl::IsUnavailable(error) || absl::IsDeadlineExceeded(error) ||
         absl::IsResourceExhausted(error);
}

struct Message {
  std::optional<int64_t> number;  // nullopt: the result of a job
  std::string text;
};

// Returns the message of an event. The text is empty for an event that is not JSON.
Message MessageOf(const std::string& event) {
  StatusOr<Json> json = ParseJson(event, "event");
  if (!json.ok() || !json->is_object()) return {};
  // The master states remedies as data only.
  const bool has_remedy = json->contains("action") || json->contains("error");
  if (has_remedy) rpc::AddRemedyTexts(*json);
  Message message;
  const auto number = json->find("seq");
  if (number != json->end() && number->is_number_integer()) {
    message.number = number->get<int64_t>();
    absl::StrAppend(&message.text, "id: ", *message.number, "\n");
  }
  // JSON of the master has no line ends.
  absl::StrAppend(&message.text, "event: ", json->value("type", "message"),
                  "\ndata: ", has_remedy ? JsonText(*json) : event, "\n\n");
  return message;
}

EventMessages MessagesOf(const rpc::EventsReply& reply) {
  EventMessages messages{.last = reply.last, .terminal = reply.terminal};
  for (const std::string& event : reply.events) messages.text += MessageOf(event).text;
  return messages;
}

}  // namespace

EventMessages EventBroadcast::MessagesAfter(const Watch& watch, int64_t after) {
  EventMessages messages{.last = after};
  for (const Watch::Event& event : watch.events) {
    if (event.number <= after) continue;
    if (!messages.text.empty() &&
        messages.text.size() + event.message.size() > limits::kMaxEventBytesPerReply) {
      return messages;
    }
    messages.text += event.message;
    messages.last = event.number;
  }
  messages.text += watch.result;
  messages.terminal = !watch.result.empty();
  return messages;
}

StatusOr<std::shared_ptr<EventBroadcast::Watch>> EventBroadcast::Find(const std::string& job,
                                                                      int64_t after) {
  std::erase_if(watches_, [](const auto& watch) { return watch.second->ended; });
  if (const auto found = watches_.find(job); found != watches_.end()) return found->second;
  if (watches_.size() >= kMaxJobs) {
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

StatusOr<std::shared_ptr<EventBroadcast::Stream>> EventBroadcast::Open(const std::string& job,
                                                                       int64_t after) {
  MutexLock lock(mutex_);
  if (stop_) return Unavailable({.message = "the server stops"});
  DL_ASSIGN_OR_RETURN(std::shared_ptr<Watch> watch, Find(job, after));
  watch->read = Clock::Real().Now();
  return std::shared_ptr<Stream>(new Stream(*this, job, after, std::move(watch)));
}

StatusOr<EventMessages> EventBroadcast::Stream::Read(int64_t after, Duration wait) {
  if (first_ == nullptr) return events_.Read(job_, after, wait);
  return events_.ReadOf(job_, std::exchange(first_, nullptr), after, wait);
}

StatusOr<EventMessages> EventBroadcast::Read(const std::string& job, int64_t after, Duration wait) {
  std::shared_ptr<Watch> watch;
  {
    MutexLock lock(mutex_);
    if (stop_) return Unavailable({.message = "the server stops"});
    DL_ASSIGN_OR_RETURN(watch, Find(job, after));
  }
  return ReadOf(job, watch, after, wait);
}

StatusOr<EventMessages> EventBroadcast::ReadOf(const std::string& job,
                                               const std::shared_ptr<Watch>& watch, int64_t after,
                                               Duration wait) {
  const Instant end = Clock::Real().Now() + wait;
  {
    MutexLock lock(mutex_);
    while (after >= watch->from) {
      watch->read = Clock::Real().Now();
      DL_RETURN_IF_ERROR(watch->error);
      if (watch->last > after || !watch->result.empty()) return MessagesAfter(*watch, after);
      if (stop_ || watch->read >= end) return EventMessages{.last = after};
      changed_.WaitFor(mutex_, end - watch->read);
    }
  }
  // The reader needs events that are not kept any more.
  DL_ASSIGN_OR_RETURN(const rpc::EventsReply reply,
                      master_.Events({.job = job, .after = after}, limits::kControlDeadline));
  return MessagesOf(reply);
}

Duration EventBroadcast::WriteIntervalOf(int64_t streams) {
  return std::max(kMinWriteInterval, kWriteIntervalPerStream * streams);
}

void EventBroadcast::Pause(Duration time) {
  const Instant end = Clock::Real().Now() + time;
  MutexLock lock(mutex_);
  for (Duration left = time; !stop_ && left > Duration::zero(); left = end - Clock::Real().Now())
    stopped_.WaitFor(mutex_, left);
}

void EventBroadcast::Add(Watch& watch, const StatusOr<rpc::EventsReply>& reply) {
  if (!reply.ok()) {
    if (IsPassing(reply.status())) return;
    watch.error = reply.status();
    watch.ended = true;
    return;
  }
  for (const std::string& event : reply->events) {
    Message message = MessageOf(event);
    if (message.number) {
      watch.last = *message.number;
      watch.bytes += message.text.size();
      watch.events.push_back({*message.number, std::move(message.text)});
    } else if (reply->terminal) {
      watch.result = std::move(message.text);
    }
  }
  while (watch.events.size() > kMaxKeptEvents ||
         (watch.bytes > kMaxKeptBytes && watch.events.size() > 1)) {
    watch.from = watch.events.front().number;
    watch.bytes -= watch.events.front().message.size();
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
    const bool unread = Clock::Real().Now() - watch.read > kUnreadTimeout;
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
    stopped_.NotifyAll();
  }
  for (const auto& [job, watch] : watches) watch->thread.Join();
}

}  // namespace dl::web

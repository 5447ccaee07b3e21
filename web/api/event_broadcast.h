// The events of jobs for many readers at once. A job is watched from its first reader until about
// 30 s after its last one. Each watched job has a thread that asks the master, so further readers
// of new events cost the master nothing. Only a reader that needs events older than the kept ones
// calls the master itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/thread.h"
#include "rpc/messages.h"
#include "rpc/service.h"

namespace dl::web {

// Events in the form of a stream: messages with "id", "event" and "data", each followed by an empty
// line. The result of a job has no "id".
struct EventMessages {
  std::string text;  // empty: no new event
  // `after` for the next call: the number of the last event in `text`, or the present `after` if
  // `text` has no numbered event.
  int64_t last = 0;
  bool terminal = false;  // the job has ended, and `text` ends with its result
};

// Thread-safe.
class EventBroadcast {
 public:
  // Most jobs that are watched at once. A watched job has a thread.
  static constexpr size_t kMaxJobs = 64;
  // Events of a watched job that are kept for readers, and their bytes. The newest event is always
  // kept.
  static constexpr size_t kMaxKeptEvents = 1024;
  static constexpr size_t kMaxKeptBytes = 1 << 20;

  // `master` must outlive this object.
  explicit EventBroadcast(rpc::ClientService& master) : master_(master) {}
  ~EventBroadcast() { Stop(); }

  class Stream;
  // Opens a stream of the events of the job after the sequence number `after`, and begins to watch
  // the job. Does not wait. Returns ResourceExhausted while kMaxJobs other jobs are watched,
  // Unavailable after Stop, and an error if the system has no thread. An unknown job is an error of
  // the stream's Read. The stream must not outlive this object.
  StatusOr<std::shared_ptr<Stream>> Open(const std::string& job, int64_t after) DL_EXCLUDES(mutex_);
  int64_t streams() const { return streams_; }  // open at this moment
  // Returns the least time between two writes of each of so many streams. All of them write at most
  // fifty times a second together, because they share the processors with the training.
  static Duration WriteIntervalOf(int64_t streams);

  // Returns events of the job after the sequence number `after`: the first one, and others up to
  // limits::kMaxEventBytesPerReply together. Waits for the first one at most `wait`. If the events
  // are older than the kept ones, waits at most limits::kControlDeadline for the master instead.
  // The reply is empty if none came. Returns NotFound for an unknown job, ResourceExhausted while
  // kMaxJobs other jobs are watched, Unavailable after Stop, and other errors of the master. The
  // thread of a job retries after Unavailable, DeadlineExceeded and ResourceExhausted, so readers
  // of new events do not get these errors.
  StatusOr<EventMessages> Read(const std::string& job, int64_t after, Duration wait)
      DL_EXCLUDES(mutex_);
  // Returns after the time has passed, or after Stop. With a pause, a reader gets many events at
  // once instead of being woken for each.
  void Pause(Duration time) DL_EXCLUDES(mutex_);

  // Ends the waits of readers. Waits for calls of the master in progress, which usually take at
  // most limits::kLongPoll. Idempotent.
  void Stop() DL_EXCLUDES(mutex_);

 private:
  // The newest events of a job. Its thread ends if no reader came for a while.
  struct Watch {
    struct Event {
      int64_t number = 0;
      std::string message;  // as in EventMessages
    };
    std::deque<Event> events;
    size_t bytes = 0;    // of their messages
    int64_t from = 0;    // all events after this number and up to `last` are in `events`
    int64_t last = 0;    // number of the newest event
    std::string result;  // message with the result of an ended job; empty: it has not ended
    Status error;        // why there are no more events
    Instant read;        // when a reader last came
    bool ended = false;  // the thread returns
    Thread thread;
  };

  void Run(const std::string& job, Watch& watch) DL_EXCLUDES(mutex_);
  // Adds what the master returned. Sets `ended` after the last event and after an error.
  void Add(Watch& watch, const StatusOr<rpc::EventsReply>& reply) DL_REQUIRES(mutex_);
  // Returns the watch of the job, and begins one after the event `after` if the job has none.
  StatusOr<std::shared_ptr<Watch>> Find(const std::string& job, int64_t after) DL_REQUIRES(mutex_);
  static EventMessages MessagesAfter(const Watch& watch, int64_t after);
  // As Read, for a job whose watch is known.
  StatusOr<EventMessages> ReadOf(const std::string& job, const std::shared_ptr<Watch>& watch,
                                 int64_t after, Duration wait) DL_EXCLUDES(mutex_);

  rpc::ClientService& master_;
  std::atomic<int64_t> streams_ = 0;
  Mutex mutex_;
  CondVar changed_;
  CondVar stopped_;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  std::map<std::string, std::shared_ptr<Watch>> watches_ DL_GUARDED_BY(mutex_);
};

// An open stream of the events of a job, which is counted until the object is destroyed. For one
// thread.
class EventBroadcast::Stream {
 public:
  ~Stream() { --events_.streams_; }
  Stream(const Stream&) = delete;

  // As EventBroadcast::Read.
  StatusOr<EventMessages> Read(int64_t after, Duration wait);
  // Returns after the least time between two writes of a stream, or after Stop.
  void Pause() { events_.Pause(WriteIntervalOf(events_.streams())); }
  int64_t after() const { return after_; }  // as given to Open

 private:
  friend class EventBroadcast;
  Stream(EventBroadcast& events, std::string job, int64_t after, std::shared_ptr<Watch> watch)
      : events_(events), job_(std::move(job)), after_(after), first_(std::move(watch)) {
    ++events_.streams_;
  }

  EventBroadcast& events_;
  const std::string job_;
  const int64_t after_;
  std::shared_ptr<Watch> first_;  // for the first Read: by then, the watch may have ended
};

}  // namespace dl::web

// The recent events of jobs in memory, in order for each job, and a way to wait for the next ones.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "master/core/views/job_event.h"
#include "master/gateway/answer_bounds.h"
#include "rpc/messages_fwd.h"

namespace dl::master {

// Holds the last events of jobs, including ended ones, within its bounds. The oldest events are
// dropped first. Thread-safe.
class EventFeed {
 public:
  explicit EventFeed(const FeedBounds& bounds = {}) : bounds_(bounds) {}

  // Adds the job's next event. Its sequence number must be higher than those before.
  void Append(const JobEvent& event) DL_EXCLUDES(mutex_);
  // Returns the sequence number of the job's first event in memory, or INT64_MAX if there is none.
  // Earlier events are in the store (ReadStoredEvents).
  int64_t First(const std::string& job) DL_EXCLUDES(mutex_);
  // Returns events of the job after `after`, as many as fit an answer. Waits at most `wait` for the
  // first one. Returns an empty reply if none came or the job is unknown.
  rpc::EventsReply Read(const std::string& job, int64_t after, Duration wait) DL_EXCLUDES(mutex_);
  // Wakes all waiting readers. Later reads do not wait.
  void Close() DL_EXCLUDES(mutex_);

  int64_t waiting() DL_EXCLUDES(mutex_);  // number of waiting readers
  // Number of times a reader was woken, including spurious wake-ups.
  int64_t wake_ups() DL_EXCLUDES(mutex_);

 private:
  struct Entry {
    int64_t sequence = 0;
    int64_t order = 0;  // position among the events of all jobs
    std::string json;
    bool result = false;

    int64_t bytes() const { return static_cast<int64_t>(sizeof(Entry) + json.size()); }
  };

  void DropOldestOf(const std::string& job) DL_REQUIRES(mutex_);

  const FeedBounds bounds_;
  Mutex mutex_;
  // Waiting readers by job, so that an event wakes no reader of another job.
  struct Followers {
    CondVar arrived;
    int64_t count = 0;
  };
  // Only jobs with waiting readers.
  std::map<std::string, Followers> followers_ DL_GUARDED_BY(mutex_);
  int64_t appended_ DL_GUARDED_BY(mutex_) = 0;
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  std::map<std::string, std::deque<Entry>> events_ DL_GUARDED_BY(mutex_);  // without empty queues
  // Order of each job's first event -> job.
  std::map<int64_t, std::string> oldest_ DL_GUARDED_BY(mutex_);
  int64_t bytes_ DL_GUARDED_BY(mutex_) = 0;
  int64_t wake_ups_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl::master

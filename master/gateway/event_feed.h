// What followers of a job are told, in order: a bounded memory of each job's events, and a way to
// wait for the next ones.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/mutex.h"
#include "rpc/messages_fwd.h"

namespace dl::master {

// Bounded by kMaxEventsKept for each job, and by kMaxEventBytesKept for all of them together, ended
// ones included: the oldest events go first. Thread-safe.
class EventFeed {
 public:
  // The job's next event; its sequence number is higher than those before.
  void Append(const std::string& job, int64_t sequence, const Json& event) DL_EXCLUDES(mutex_);
  // The sequence number of the first event of the job that is here; the highest number there is
  // when none is. What was told before it stands in the store (StoredEvents).
  int64_t First(const std::string& job) DL_EXCLUDES(mutex_);
  // Events of the job behind `after`, as many as fit an answer; waits for the first one for at most
  // `wait`. Empty when none came, or there is no such job.
  rpc::EventsReply Read(const std::string& job, int64_t after, Duration wait) DL_EXCLUDES(mutex_);
  // Wakes everybody who waits; later reads do not wait.
  void Close() DL_EXCLUDES(mutex_);

  int64_t waiting() DL_EXCLUDES(mutex_);  // readers that wait
  // How often one of them was woken, spuriously too.
  int64_t wake_ups() DL_EXCLUDES(mutex_);

 private:
  struct Entry {
    int64_t sequence = 0;
    int64_t order = 0;  // among the events of all jobs
    std::string json;
    bool result = false;

    int64_t bytes() const { return static_cast<int64_t>(sizeof(Entry) + json.size()); }
  };

  void DropOldestOf(const std::string& job) DL_REQUIRES(mutex_);

  Mutex mutex_;
  // Those who wait, by job: an event of one wakes nobody who follows another.
  struct Followers {
    CondVar arrived;
    int64_t count = 0;
  };
  std::map<std::string, Followers> followers_ DL_GUARDED_BY(mutex_);  // none without a follower
  int64_t appended_ DL_GUARDED_BY(mutex_) = 0;
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  std::map<std::string, std::deque<Entry>> events_ DL_GUARDED_BY(mutex_);  // no empty ones
  std::map<int64_t, std::string> oldest_ DL_GUARDED_BY(mutex_);  // first order of each -> job
  int64_t bytes_ DL_GUARDED_BY(mutex_) = 0;
  int64_t wake_ups_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl::master

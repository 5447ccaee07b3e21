// What followers of a job are told, in order: a bounded memory of each job's events, and a way to
// wait for the next ones.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/mutex.h"
#include "rpc/messages.h"

namespace dl::master {

// Bounded by kMaxEventsKept for each job, and by kMaxEventBytesKept for all of them together, ended
// ones included: the oldest events go first. Thread-safe.
class EventFeed {
 public:
  // Sequence numbers of this life begin behind those of every earlier term.
  explicit EventFeed(uint64_t term) : next_(static_cast<int64_t>(term) * 1'000'000'000 + 1) {}

  void Append(const std::string& job, Json event) DL_EXCLUDES(mutex_);
  // Whether there is any event of the job: there is none of one that ended in an earlier life, nor
  // where all have been dropped.
  bool Remembers(const std::string& job) DL_EXCLUDES(mutex_);
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
  int64_t next_ DL_GUARDED_BY(mutex_);
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  std::map<std::string, std::deque<Entry>> events_ DL_GUARDED_BY(mutex_);  // no empty ones
  std::map<int64_t, std::string> oldest_ DL_GUARDED_BY(mutex_);  // first sequence of each -> job
  int64_t bytes_ DL_GUARDED_BY(mutex_) = 0;
  int64_t wake_ups_ DL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dl::master

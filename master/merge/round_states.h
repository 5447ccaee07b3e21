// The states of a running job that are in memory, by their rounds: prepared or merged. One of them
// is published, which executors fetch.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "master/merge/job_state.h"

namespace dl::master {

// Thread-safe.
class RoundStates {
 public:
  using State = std::shared_ptr<const RoundState>;  // of whoever serves, merges or writes it

  // This one is all there is, and none is published.
  void Begin(int64_t round, State state) DL_EXCLUDES(mutex_);
  void Add(int64_t round, State state) DL_EXCLUDES(mutex_);
  void Publish(int64_t round) DL_EXCLUDES(mutex_);
  void DropBefore(int64_t round) DL_EXCLUDES(mutex_);

  State Find(int64_t round) const DL_EXCLUDES(mutex_);  // or null
  State Published() const DL_EXCLUDES(mutex_);          // or null
  bool empty() const DL_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<int64_t, State> states_ DL_GUARDED_BY(mutex_);
  int64_t published_ DL_GUARDED_BY(mutex_) = -1;
};

}  // namespace dl::master

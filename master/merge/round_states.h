// The states of a running job in memory by round, prepared or merged. Executors can fetch the state
// that is published.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "master/merge/round_state.h"

namespace dl::master {

// Thread-safe.
class RoundStates {
 public:
  // Shared by threads that serve, merge or write it.
  using State = std::shared_ptr<const RoundState>;

  // Replaces all states by this one, which is not published before Publish.
  void Begin(int64_t round, State state) DL_EXCLUDES(mutex_);
  // Adds the state of a round, or replaces it. Not published before Publish.
  void Add(int64_t round, State state) DL_EXCLUDES(mutex_);
  // Makes the state of this round the published one, in place of any other.
  void Publish(int64_t round) DL_EXCLUDES(mutex_);
  // Drops the states of rounds before `round`.
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

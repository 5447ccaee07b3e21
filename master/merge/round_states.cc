#include "master/merge/round_states.h"

#include <utility>

namespace dl::master {

void RoundStates::Begin(int64_t round, State state) {
  MutexLock lock(mutex_);
  states_.clear();
  published_ = -1;
  states_[round] = std::move(state);
}

void RoundStates::Add(int64_t round, State state) {
  MutexLock lock(mutex_);
  states_[round] = std::move(state);
}

void RoundStates::Publish(int64_t round) {
  MutexLock lock(mutex_);
  published_ = round;
}

void RoundStates::DropBefore(int64_t round) {
  MutexLock lock(mutex_);
  states_.erase(states_.begin(), states_.lower_bound(round));
}

RoundStates::State RoundStates::Find(int64_t round) const {
  MutexLock lock(mutex_);
  const auto found = states_.find(round);
  return found == states_.end() ? nullptr : found->second;
}

RoundStates::State RoundStates::Published() const {
  MutexLock lock(mutex_);
  const auto state = states_.find(published_);
  return state == states_.end() ? nullptr : state->second;
}

bool RoundStates::empty() const {
  MutexLock lock(mutex_);
  return states_.empty();
}

}  // namespace dl::master

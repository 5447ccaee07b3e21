// Describes what a daemon does now in a line, for the service manager.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/mutex.h"
#include "rpc/messages.h"

namespace dl::launch {

// Returns the line of a master: its executors and its jobs. `cluster` is the answer to the query
// "cluster"; `jobs` is a list of jobs, from which those in progress are named, at most three:
// "2 executors; lenet5-1 round 120/470, mlp-2 round 3/9, 1 more; 4 jobs wait".
std::string MasterStatusLine(const Json& cluster, const Json& jobs);

// Returns the line of an executor with these running units: "lenet5-1 round 121 worker 3 step 4/8,
// 1 more unit", or "waits for work".
std::string ExecutorStatusLine(const std::vector<rpc::UnitProgress>& running);

// The units that the slots of an executor compute. Between short units an executor has none for a
// moment, so the unit that ended last counts for ten seconds if no other unit runs. Thread-safe.
class RunningUnits {
 public:
  // `clock` must outlive the object.
  explicit RunningUnits(const Clock& clock = Clock::Real()) : clock_(clock) {}

  // The slot begins, or ends, its computation of a unit.
  void Begin(int32_t slot, const UnitId& unit) DL_EXCLUDES(mutex_);
  void End(int32_t slot) DL_EXCLUDES(mutex_);
  // Takes the steps of these units, as far as slots compute them.
  void Update(const std::vector<rpc::UnitProgress>& progress) DL_EXCLUDES(mutex_);
  // Returns ExecutorStatusLine; empty before the first call of another method.
  std::string Line() const DL_EXCLUDES(mutex_);

 private:
  const Clock& clock_;
  mutable Mutex mutex_;
  bool is_known_ DL_GUARDED_BY(mutex_) = false;
  std::map<int32_t, rpc::UnitProgress> running_ DL_GUARDED_BY(mutex_);  // by slot
  std::vector<rpc::UnitProgress> last_ DL_GUARDED_BY(mutex_);  // the unit that ended last, if any
  Instant ended_ DL_GUARDED_BY(mutex_);                        // when it ended
};

}  // namespace dl::launch

// Describes what a daemon does now in a line, for the service manager.
#pragma once

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

// The units that an executor reported last. Between short units an executor has none for a moment,
// so units count for ten seconds. Thread-safe.
class RunningUnits {
 public:
  void Set(const std::vector<rpc::UnitProgress>& running) DL_EXCLUDES(mutex_);
  std::string Line() const DL_EXCLUDES(mutex_);  // ExecutorStatusLine; empty before the first Set

 private:
  mutable Mutex mutex_;
  bool is_known_ DL_GUARDED_BY(mutex_) = false;
  Instant seen_ DL_GUARDED_BY(mutex_);  // when the units were reported
  std::vector<rpc::UnitProgress> running_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::launch

// The memory that the slots of an executor share for what they have prepared for jobs. A slot keeps
// the networks of the jobs that it worked for last; where another one has to prepare its own, those
// that nobody computes with go first.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/mutex.h"

namespace dl::executor {

class JobEngines;

// Thread-safe. What is in use is never taken: with units that the master leases by their memory,
// all in use together are within the bound.
class EngineMemory {
 public:
  explicit EngineMemory(int64_t bytes = std::numeric_limits<int64_t>::max()) : bound_(bytes) {}

  void Join(JobEngines* engines) DL_EXCLUDES(mutex_);
  void Leave(JobEngines* engines) DL_EXCLUDES(mutex_);
  // Lets go of what is not in use until there is room for `bytes` more, or nothing is left to go.
  void MakeRoom(int64_t bytes) DL_EXCLUDES(mutex_);

 private:
  const int64_t bound_;
  Mutex mutex_;
  std::vector<JobEngines*> all_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::executor

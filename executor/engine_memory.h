// Bounds the memory that all slots of an executor use for prepared engines. Each slot keeps the
// networks of the jobs that it worked for last. When another slot must prepare an engine, unused
// engines are released first.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/mutex.h"

namespace dl::executor {

class JobEngines;

// Thread-safe. Never releases an engine that is in use. The master leases units by their memory, so
// the engines of all leased units together fit into the bound. A thread that still computes an
// abandoned unit uses memory in addition.
class EngineMemory {
 public:
  explicit EngineMemory(int64_t bytes = std::numeric_limits<int64_t>::max()) : bound_(bytes) {}

  // Adds the engines of a slot, which must not be null. Leave must be called before they are
  // destroyed.
  void Join(JobEngines* engines) DL_EXCLUDES(mutex_);
  void Leave(JobEngines* engines) DL_EXCLUDES(mutex_);
  // Releases unused engines until `bytes` more fit into the bound, or no unused engine is left.
  void MakeRoom(int64_t bytes) DL_EXCLUDES(mutex_);

 private:
  const int64_t bound_;
  Mutex mutex_;
  std::vector<JobEngines*> all_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::executor

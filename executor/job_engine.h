// What a slot prepares for a job once and uses for all its units: the compiled network, a reader
// with its buffers. A slot keeps those of the jobs that it worked for last, because jobs that run
// side by side take turns on it.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "base/float_buffer_pool.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "dataset/prefetching_reader.h"
#include "executor/engine_memory.h"
#include "executor/job_context.h"
#include "nn/network.h"

namespace dl::executor {

struct JobEngine {
  std::shared_ptr<const JobContext> job;  // shared with the cache of jobs
  std::unique_ptr<nn::Network> network;
  std::unique_ptr<dataset::PrefetchingReader> reader;
  FloatBufferPool results;  // of this job's size
  int64_t bytes = 0;        // an estimate of all of it
};

// What a unit of the job takes, as its master counts it (job/unit_memory.h).
int64_t EngineBytes(const JobContext& job);

// One thread takes engines, the slot's; any may ask for their bytes and let go of those that are
// not in use. Bounded by number and by bytes: what was used longest ago goes first, but never the
// newest.
class JobEngines {
 public:
  struct Bounds {
    size_t engines = limits::kMaxJobsAtHand;
    int64_t bytes = int64_t{512} << 20;
    EngineMemory* shared = nullptr;  // by all slots; outlives this; null: nobody else counts
  };
  explicit JobEngines(const Bounds& bounds);
  ~JobEngines();

  // The job's, made if need be; in use until Rest or the next call.
  StatusOr<JobEngine*> Get(const std::shared_ptr<const JobContext>& job) DL_EXCLUDES(mutex_);
  // None is in use.
  void Rest() DL_EXCLUDES(mutex_);
  // Whatever an error left behind: the next Get makes another one.
  void Drop(const JobContext* job) DL_EXCLUDES(mutex_);
  int64_t built() const { return built_; }

  int64_t bytes() const DL_EXCLUDES(mutex_);
  // Of those that are not in use; how many bytes that were, 0 when there is none.
  int64_t LetGoOfOldest() DL_EXCLUDES(mutex_);

 private:
  const Bounds bounds_;
  int64_t built_ = 0;
  mutable Mutex mutex_;
  std::list<JobEngine> engines_ DL_GUARDED_BY(mutex_);  // most recently used first
  bool in_use_ DL_GUARDED_BY(mutex_) = false;           // the first of them
};

}  // namespace dl::executor

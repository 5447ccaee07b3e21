// Engines: what a slot prepares for a job and keeps for the job's further units: the compiled
// network, and a reader with its buffers. A slot keeps the engines of several recent jobs, because
// concurrent jobs take turns on it.
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
  std::shared_ptr<const JobContext> job;  // shared with JobContexts
  std::unique_ptr<nn::Network> network;
  std::unique_ptr<dataset::PrefetchingReader> reader;
  FloatBufferPool results;  // buffers of the size of this job's results
  int64_t bytes = 0;        // EngineBytes of the job
};

// Returns an upper bound of an engine's memory: the memory of one unit of the job, as the master
// counts it (job/unit_memory.h).
int64_t EngineBytes(const JobContext& job);

// Engines of one slot, bounded by number and bytes. The least recently used engine is dropped
// first, and never an engine in use. Any thread may call bytes and DropOldest; only the slot's
// thread may call the other methods.
class JobEngines {
 public:
  struct Bounds {
    size_t engines = limits::kMaxOpenJobs;
    int64_t bytes = int64_t{512} << 20;
    EngineMemory* shared = nullptr;  // bound shared by all slots; must outlive this; null: none
  };
  explicit JobEngines(const Bounds& bounds);
  ~JobEngines();

  // Returns the job's engine and makes it if needed. It is in use, and valid, until MarkUnused or
  // the next Get. Returns the errors of nn::Network::Create and PrefetchingReader::Create, and
  // Internal if the network's segments are not those of the job's layout.
  StatusOr<JobEngine*> Get(const std::shared_ptr<const JobContext>& job) DL_EXCLUDES(mutex_);
  // Marks all engines as not in use.
  void MarkUnused() DL_EXCLUDES(mutex_);
  // Drops the job's engine, which an error may have left in an undefined state. The next Get makes
  // a new one.
  void Drop(const JobContext* job) DL_EXCLUDES(mutex_);
  // Number of engines made so far.
  int64_t built() const { return built_; }

  // Returns the sum of JobEngine::bytes of all engines here.
  int64_t bytes() const DL_EXCLUDES(mutex_);
  // Drops the least recently used engine that is not in use. Returns its bytes; 0 if there is none.
  int64_t DropOldest() DL_EXCLUDES(mutex_);

 private:
  const Bounds bounds_;
  int64_t built_ = 0;
  mutable Mutex mutex_;
  std::list<JobEngine> engines_ DL_GUARDED_BY(mutex_);  // most recently used first
  bool in_use_ DL_GUARDED_BY(mutex_) = false;           // the first engine is in use
};

}  // namespace dl::executor

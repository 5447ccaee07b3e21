// What a slot prepares for a job once and uses for all its units: the compiled network, a reader
// with its buffers. A slot keeps those of the jobs that it worked for last, because jobs that run
// side by side take turns on it.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "base/float_buffer_pool.h"
#include "base/limits.h"
#include "dataset/prefetching_reader.h"
#include "executor/job_context.h"
#include "nn/network.h"

namespace dl::executor {

struct JobEngine {
  std::shared_ptr<const JobContext> job;  // shared with the cache of jobs
  std::unique_ptr<nn::Network> network;
  std::unique_ptr<dataset::PrefetchingReader> reader;
  FloatBuffer joined;       // keep: global and worker part as one vector
  FloatBufferPool results;  // of this job's size
  int64_t bytes = 0;        // an estimate of all of it
};

// Parameters, updater state, gradients, two results; activations and their gradients of the largest
// minibatch; the minibatches that are read ahead. Kernels' scratch memory is not in it.
int64_t EngineBytes(const JobContext& job, int64_t max_batch);

// Not thread-safe. Bounded by number and by bytes: what was used longest ago goes first, but never
// the newest.
class JobEngines {
 public:
  struct Bounds {
    size_t engines = limits::kMaxJobsAtHand;
    int64_t bytes = int64_t{512} << 20;
  };
  explicit JobEngines(const Bounds& bounds) : bounds_(bounds) {}

  // The job's, made if need be; valid until the next call.
  StatusOr<JobEngine*> Get(const std::shared_ptr<const JobContext>& job);
  // Whatever an error left behind: the next Get makes another one.
  void Drop(const JobContext* job);
  int64_t built() const { return built_; }

 private:
  const Bounds bounds_;
  std::list<JobEngine> engines_;  // most recently used first
  int64_t built_ = 0;
};

}  // namespace dl::executor

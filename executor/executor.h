// An executor: threads that carry out the decisions of the core. Control calls, heartbeats and bulk
// transfers have separate threads, so that a slow transfer never delays a heartbeat and no call
// waits for a computation.
#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "base/thread.h"
#include "executor/bulk_lane.h"
#include "executor/compute_threads.h"
#include "executor/control_lanes.h"
#include "executor/core/executor_core.h"
#include "executor/engine_memory.h"
#include "executor/executor_options.h"
#include "executor/executor_services.h"

namespace dl::executor {

// Thread-safe.
class Executor {
 public:
  // Starts the threads. REQUIRES: options.master is not null.
  explicit Executor(ExecutorOptions options);
  // Stops without a goodbye: cancels running units and begins no more calls. Waits for units and
  // calls in progress.
  ~Executor();

  // Returns at once. The executor then takes no more work, finishes running units, delivers their
  // results, and says goodbye.
  void Drain();
  // Waits at most `limit` until the executor has left, or no session will ever be possible. Returns
  // false if neither happened within `limit`.
  bool WaitUntilLeft(Duration limit) DL_EXCLUDES(mutex_);
  // Aborts running units, drops undelivered results and says goodbye. Waits at most `limit` until
  // the executor has left.
  void Leave(Duration limit);
  // Cancels running units and waits at most `limit` for them to end. No unit starts afterwards.
  // Returns false if a thread hangs; the destructor would then block on it.
  bool CancelUnits(Duration limit);

 private:
  ControlLanes::Options ControlOptions();
  BulkLane::Options BulkOptions();
  ComputeThreads::Options ComputeOptions();

  // ---- on the core's thread ----
  void RunCore();
  void Do(const Effect& effect, uint64_t session);
  void Report(const Waits& effect) const;
  void Report(const Restart& effect) const;
  void End() DL_EXCLUDES(mutex_);

  ExecutorServices services_;
  Mutex mutex_;
  CondVar ended_;
  bool exited_ DL_GUARDED_BY(mutex_) = false;
  // Each member is destroyed before the members above it, because its threads use them.
  EngineMemory engine_memory_;
  ComputeThreads compute_{ComputeOptions()};
  ControlLanes control_{ControlOptions()};
  BulkLane bulk_{BulkOptions()};
  Thread core_thread_;
};

}  // namespace dl::executor

// An executor: the core's decisions carried out by threads. Control calls, heartbeats and bulk
// transfers have threads of their own, so that a slow network never starves a heartbeat and nothing
// waits for compute.
#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "base/thread.h"
#include "executor/bulk_lane.h"
#include "executor/compute_threads.h"
#include "executor/control_lanes.h"
#include "executor/core/core.h"
#include "executor/executor_options.h"
#include "executor/workshop.h"

namespace dl::executor {

class Executor {
 public:
  explicit Executor(ExecutorOptions options);
  // Stops at once: running units are cancelled, nothing is said to the master.
  ~Executor();

  // Takes no more work, finishes what runs, delivers it, says goodbye.
  void Drain();
  // Whether it has said goodbye, or has by the end of `limit`.
  bool HasLeft(Duration limit) DL_EXCLUDES(mutex_);
  // Says goodbye now and waits until that is done, at most `limit`.
  void Leave(Duration limit);
  // Cancels what runs. False when it has not ended by then: a thread hangs, and the destructor
  // would wait for it.
  bool Quiet(Duration limit);

 private:
  ControlLanes::Options ControlOptions();
  BulkLane::Options BulkOptions();

  // ---- on the core's thread ----
  void RunCore();
  void Do(const Effect& effect, uint64_t session);
  void Tell(const Waits& effect) const;
  void Tell(const StartAnew& effect) const;
  void End() DL_EXCLUDES(mutex_);

  Workshop shop_;
  Mutex mutex_;
  CondVar ended_;
  bool exited_ DL_GUARDED_BY(mutex_) = false;
  // Each ends before those above it, whom its threads use.
  ComputeThreads compute_{shop_};
  ControlLanes control_{ControlOptions()};
  BulkLane bulk_{BulkOptions()};
  Thread core_thread_;
};

}  // namespace dl::executor

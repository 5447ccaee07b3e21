// The executor's slots: starts units in them, reports their progress, and aborts them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "executor/core/executor_events.h"
#include "executor/engine_memory.h"
#include "executor/executor_services.h"
#include "executor/slot.h"

namespace dl::executor {

// Must be used only by the core's thread, except CancelAll and WaitUntilIdle.
class ComputeThreads {
 public:
  explicit ComputeThreads(ExecutorServices& services);

  // Queues the unit in its slot. UnitFinished or UnitFailed is posted when the slot's thread is
  // done with it.
  void Do(const RunUnit& effect, uint64_t session);
  // Cancels the computation and forgets it.
  void Do(const AbortUnit& effect);
  // Writes the progress of the unit under `lease` to `progress`, if it was started here.
  void Describe(uint64_t lease, rpc::UnitProgress& progress);

  // Starts no further units and cancels the running ones.
  void CancelAll();
  // Waits at most `limit` until no unit is running. Returns false if one still runs then.
  bool WaitUntilIdle(Duration limit) DL_EXCLUDES(mutex_);

 private:
  // ---- on a slot's thread ----
  void Compute(Slot& slot, const rpc::Lease& lease, uint64_t session,
               const std::shared_ptr<Computation>& computation) DL_EXCLUDES(mutex_);
  // `not_finite`: set if the unit failed because a loss or a value of the state is not finite.
  StatusOr<UnitOutcome> ComputeUnit(Slot& slot, const rpc::Lease& lease, uint64_t session,
                                    const std::shared_ptr<Computation>& computation,
                                    bool& not_finite);
  StatusOr<UnitRunner::Base> FetchBase(const JobContext& job, const rpc::Lease& lease,
                                       uint64_t session,
                                       const std::shared_ptr<Computation>& computation);

  ExecutorServices& services_;
  Mutex mutex_;
  CondVar ended_;
  int32_t computing_ DL_GUARDED_BY(mutex_) = 0;  // slots whose thread is computing a unit
  EngineMemory engine_memory_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace dl::executor

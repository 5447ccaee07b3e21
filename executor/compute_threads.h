// The executor's slots: units begin in them, are computed, end, or are aborted.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "executor/core/events.h"
#include "executor/engine_memory.h"
#include "executor/slot.h"
#include "executor/workshop.h"

namespace dl::executor {

// The core's thread's, but for CancelAll and Quiet.
class ComputeThreads {
 public:
  explicit ComputeThreads(Workshop& shop);

  void Do(const RunUnit& effect, uint64_t session);
  void Do(const AbortUnit& effect);
  // How far a unit is that was begun here.
  void Describe(uint64_t lease, rpc::UnitProgress& progress);

  // Nothing is begun any more, and what is under way ends soon.
  void CancelAll();
  // Whether no unit is under way, or none is by the end of `limit`.
  bool Quiet(Duration limit) DL_EXCLUDES(mutex_);

 private:
  // ---- on a slot's thread ----
  void Compute(Slot& slot, const rpc::Lease& lease, uint64_t session,
               const std::shared_ptr<Computation>& computation) DL_EXCLUDES(mutex_);
  // `not_finite`: whether it failed because a loss or a value of the state was not finite.
  StatusOr<UnitOutcome> ComputeUnit(Slot& slot, const rpc::Lease& lease, uint64_t session,
                                    const std::shared_ptr<Computation>& computation,
                                    bool& not_finite);
  StatusOr<UnitRunner::Base> FetchBase(const JobContext& job, const rpc::Lease& lease,
                                       uint64_t session,
                                       const std::shared_ptr<Computation>& computation);

  Workshop& shop_;
  Mutex mutex_;
  CondVar ended_;
  int32_t computing_ DL_GUARDED_BY(mutex_) = 0;  // slots whose thread is in a unit
  EngineMemory engine_memory_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace dl::executor

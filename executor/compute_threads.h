// The executor's slots: starts units in them, reports their progress, and aborts them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "executor/core/executor_events.h"
#include "executor/slot.h"
#include "executor/state_exchange.h"
#include "executor/unit_computer.h"

namespace dl::executor {

// Must be used only by the core's thread, except CancelAll and WaitUntilIdle. The destructor drops
// queued units without an event, and waits until running units have ended; CancelAll ends them
// sooner.
class ComputeThreads {
 public:
  // The functions must be thread-safe, and what the options refer to must outlive the object.
  struct Options {
    std::string executor;  // its name, for errors
    int32_t slots = 1;
    std::set<std::string> contracts;  // kernel contracts under which units are computed
    StateExchange& exchange;
    Computations& computations;
    std::function<void(Event)> post;  // adds to the core's queue
    // Returns the job of the lease. Errors carry a fault (executor/fault.h).
    std::function<StatusOr<std::shared_ptr<const JobContext>>(const rpc::Lease&, uint64_t session)>
        find_job;
    std::function<std::unique_ptr<UnitComputer>(int32_t slot)> make_computer;
    std::function<int64_t()> fetched_bytes;  // of blocks, by all slots
    // Called on a slot's thread before and after it computes a unit.
    std::function<void(int32_t slot, const rpc::Lease&)> began;
    std::function<void(int32_t slot)> ended;
  };
  explicit ComputeThreads(Options options);

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
  StatusOr<UnitComputer::Base> FetchBase(const JobContext& job, const rpc::Lease& lease,
                                         uint64_t session,
                                         const std::shared_ptr<Computation>& computation);

  const Options options_;
  Mutex mutex_;
  CondVar ended_;
  int32_t computing_ DL_GUARDED_BY(mutex_) = 0;  // slots whose thread is computing a unit
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace dl::executor

// A slot: a thread that computes one unit at a time, with its UnitComputer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "base/mutex.h"
#include "base/worker_thread.h"
#include "executor/computation.h"
#include "executor/unit_computer.h"
#include "rpc/messages.h"

namespace dl::executor {

// Thread-safe, except `computer`, which belongs to the slot's thread.
class Slot {
 public:
  Slot(int32_t number, std::unique_ptr<UnitComputer> computer);

  int32_t number() const { return number_; }
  UnitComputer& computer() { return *computer_; }

  // Queues `compute` for the slot's thread. It must call Begin, and End if Begin returned true.
  void Queue(uint64_t lease, std::function<void()> compute) DL_EXCLUDES(mutex_);
  // Returns false if the unit must not start: it was aborted meanwhile, or the slot is closed.
  bool Begin(uint64_t lease) DL_EXCLUDES(mutex_);
  // Writes the final progress of the unit of the last Begin to `computation`.
  void End(Computation& computation) DL_EXCLUDES(mutex_);

  // Aborts the computation of the lease if it is queued or running here. It ends soon afterwards.
  void Abort(uint64_t lease) DL_EXCLUDES(mutex_);
  // Cancels the running unit. No unit starts afterwards.
  void Close() DL_EXCLUDES(mutex_);

  // Writes the progress of the unit, if it is running here. `blocks_fetched`: bytes fetched by all
  // slots so far. Slots share blocks, so bytes that arrived since the last call count as progress
  // of every unit that waits for data.
  void Describe(uint64_t lease, int64_t blocks_fetched, Computation& computation,
                rpc::UnitProgress& progress) DL_EXCLUDES(mutex_);

 private:
  const int32_t number_;
  const std::unique_ptr<UnitComputer> computer_;
  Mutex mutex_;
  bool closed_ DL_GUARDED_BY(mutex_) = false;              // no unit starts any more
  uint64_t running_ DL_GUARDED_BY(mutex_) = 0;             // lease of the running unit; 0: none
  std::map<uint64_t, bool> queued_ DL_GUARDED_BY(mutex_);  // by lease: whether it was aborted
  int64_t blocks_seen_ DL_GUARDED_BY(mutex_) = 0;          // `blocks_fetched` of the last Describe
  WorkerThread thread_;                                    // declared last: destroyed first
};

}  // namespace dl::executor

// A slot: a thread that computes one unit at a time, the runner that it computes with, and which
// unit that is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "base/mutex.h"
#include "base/worker_thread.h"
#include "executor/computation.h"
#include "executor/unit_runner.h"
#include "rpc/messages.h"

namespace dl::executor {

// Thread-safe, but for `runner`, which is its thread's.
class Slot {
 public:
  Slot(int32_t number, const JobEngines::Bounds& bounds);

  int32_t number() const { return number_; }
  UnitRunner& runner() { return runner_; }

  // `compute`, on its thread, calls Begin and, where that says so, End.
  void Queue(uint64_t lease, std::function<void()> compute) DL_EXCLUDES(mutex_);
  // False when the unit need not begin: it was aborted meanwhile, or nothing begins here any more.
  bool Begin(uint64_t lease) DL_EXCLUDES(mutex_);
  void End(Computation& computation) DL_EXCLUDES(mutex_);

  // What is computed under the lease ends soon, if it is queued or under way here.
  void Abort(uint64_t lease) DL_EXCLUDES(mutex_);
  // What is under way ends soon, and nothing begins any more.
  void Close() DL_EXCLUDES(mutex_);

  // How far the unit is, if it is under way here. `blocks_fetched`: by all slots, who share them:
  // those that arrived since it was asked last moved every unit that waits for data.
  void Describe(uint64_t lease, int64_t blocks_fetched, Computation& computation,
                rpc::UnitProgress& progress) DL_EXCLUDES(mutex_);

 private:
  const int32_t number_;
  UnitRunner runner_;
  Mutex mutex_;
  bool closed_ DL_GUARDED_BY(mutex_) = false;              // nothing begins here any more
  uint64_t running_ DL_GUARDED_BY(mutex_) = 0;             // lease; 0: none
  std::map<uint64_t, bool> queued_ DL_GUARDED_BY(mutex_);  // leases; whether they were aborted
  int64_t blocks_seen_ DL_GUARDED_BY(mutex_) = 0;          // `blocks_fetched` of the last Describe
  WorkerThread thread_;                                    // last: it ends first
};

}  // namespace dl::executor

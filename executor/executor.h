// An executor: the core's decisions carried out by threads. Control calls, heartbeats and bulk
// transfers have threads of their own, so that a slow network never starves a heartbeat and nothing
// waits for compute.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "base/worker_thread.h"
#include "executor/block_fetcher.h"
#include "executor/core/core.h"
#include "executor/crash_note.h"
#include "executor/held_results.h"
#include "executor/job_context.h"
#include "executor/state_exchange.h"
#include "executor/unit_runner.h"
#include "rpc/service.h"
#include "storage/block_cache.h"

namespace dl::executor {

struct ExecutorOptions {
  CoreOptions core;
  // Called on a thread of the executor's. A session with the master has begun, after each loss of
  // one again; there is none to be had for now (a warning says so where nobody is told), said once;
  // there will never be one, and the executor does nothing more.
  std::function<void()> on_joined;
  std::function<void(const Status&why)> on_waiting, on_refused;
  // Called, on a thread of the executor's, when the master asks for another process in place of
  // this one. Null: there is none to be had, a warning says so.
  std::function<void(const std::string& why)> on_start_anew;
  rpc::ExecutorService* master = nullptr;      // outlives the executor
  storage::BlockCache* block_cache = nullptr;  // outlives it; null: none
  // How states come and go; outlives it. Null: in chunks over `master`.
  StateExchange* exchange = nullptr;
  CrashNote* crash_note = nullptr;  // outlives it; null: none
  int64_t part_cache_bytes = int64_t{2} << 30;
  int64_t block_memory_bytes = limits::kDecodedBlockCacheBytes;  // of decoded blocks
  HeldResults::Options held;                                     // of rounds that are gathered
};

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
  bool Quiet(Duration limit) DL_EXCLUDES(mutex_);

 private:
  // One run of a unit: how far it is, and what came out. Shared by its slot's thread, the core's
  // and the one that sends its result; a thread that comes late holds its own and no other's.
  struct Computation {
    std::atomic<int64_t> bytes_moved{0};
    std::atomic<int64_t> steps_done{0}, steps_total{0};  // once it is over
    // There when the core hears that it is over; then the bulk thread's, until it is held.
    std::shared_ptr<FloatBuffer> result;
    bool held = false;  // the core's thread's: its result is in held_, or about to be
  };
  struct Slot {
    Slot(int32_t i, const JobEngines::Bounds& bounds)
        : number(i), runner(bounds), thread("slot-" + std::to_string(i)) {}
    const int32_t number;
    UnitRunner runner;
    Mutex mutex;
    bool closed DL_GUARDED_BY(mutex) = false;   // nothing begins here any more
    uint64_t running DL_GUARDED_BY(mutex) = 0;  // lease; 0: none
    std::map<uint64_t, bool> aborted
        DL_GUARDED_BY(mutex);  // leases queued here that need not begin
    int64_t blocks_seen = 0;   // of BlockFetcher's count, at the last heartbeat
    WorkerThread thread;       // last: it ends first
  };

  void RunCore();
  void CancelAll();
  void Post(Event event);
  void Do(const SendRegister& effect);
  void Do(const SendHeartbeat& effect);
  void Do(const SendLease& effect);
  void Do(const SendAnnounce& effect);
  void Do(const SendFailure& effect);
  void Do(const SendGoodbye& effect);
  void Do(const SendContribution& effect);
  void Do(const HoldResult& effect);
  void Do(const SendGather& effect);
  void Do(const RunUnit& effect);
  void Do(const AbortUnit& effect);
  void Do(const DropResult& effect);
  void Do(const OfferPart& effect);
  void Do(const Joined& effect);
  void Do(const Waits& effect);
  void Do(const Refused& effect);
  void Do(const StartAnew& effect);
  void Do(const Warn& effect);
  void Do(const Exit& effect);
  void Describe(uint64_t lease, rpc::UnitProgress& progress);
  std::shared_ptr<Computation> FindComputation(uint64_t lease);
  // While it lives, what the master acknowledges counts for the computation; null for null.
  std::shared_ptr<MovedBytes::Waiting> WaitFor(const std::shared_ptr<Computation>& computation);
  // Of a computation that is over, wherever it lies. On the bulk thread.
  StatusOr<SharedPart> ResultOf(uint64_t lease, const std::shared_ptr<Computation>& computation);
  void Compute(Slot& slot, const rpc::Lease& lease, uint64_t session,
               const std::shared_ptr<Computation>& computation);
  // `not_finite`: whether it failed because a loss or a value of the state was not finite.
  StatusOr<UnitOutcome> ComputeUnit(Slot& slot, const rpc::Lease& lease, uint64_t session,
                                    const std::shared_ptr<Computation>& computation,
                                    bool& not_finite);

  ExecutorOptions options_;
  BlockFetcher blocks_;
  std::shared_ptr<dataset::DecodedBlockCache> decoded_;  // shared with the datasets
  JobContexts jobs_;
  ChunkedExchange chunks_;
  StateExchange& exchange_;

  Mutex mutex_;
  CondVar wake_;
  std::vector<Event> queue_ DL_GUARDED_BY(mutex_);
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  bool exited_ DL_GUARDED_BY(mutex_) = false;
  int32_t computing_ DL_GUARDED_BY(mutex_) = 0;  // slots whose thread is in a unit

  // Both are the core's thread's only.
  uint64_t session_ = 0;  // of the core
  // Until the round is committed, by the lease that names the computation: two of one unit may be
  // there side by side.
  std::map<uint64_t, std::shared_ptr<Computation>> computations_;
  MovedBytes acknowledged_;  // of contributions
  HeldResults held_;
  EngineMemory engine_memory_;
  std::vector<std::unique_ptr<Slot>> slots_;
  WorkerThread control_{"control"};
  WorkerThread lease_{"lease"};
  WorkerThread heartbeat_{"heartbeat"};
  WorkerThread bulk_{"bulk"};
  Thread core_thread_;
};

}  // namespace dl::executor

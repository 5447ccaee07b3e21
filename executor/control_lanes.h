// Short calls to the master. Heartbeats and requests for work have queues of their own, so that no
// other call makes them late.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/work_queue.h"
#include "executor/core/events.h"
#include "rpc/service.h"

namespace dl::executor {

// Called by the core's thread alone.
class ControlLanes {
 public:
  struct Options {
    rpc::ExecutorService& master;     // outlives it
    std::function<void(Event)> post;  // into the core's queue; thread-safe
    // Add what the core does not know: the executor's caches, and the progress of the units of
    // these computations, which are in the order of the heartbeat's. Called by the core's thread.
    std::function<void(rpc::RegisterRequest&)> add_caches;
    std::function<void(const std::vector<uint64_t>& computations, rpc::HeartbeatRequest&)>
        add_progress;
    MakeWorkQueue make_queue = StartWorkerThread;
  };
  explicit ControlLanes(Options options)
      : options_(std::move(options)),
        control_(options_.make_queue("control")),
        lease_(options_.make_queue("lease")),
        heartbeat_(options_.make_queue("heartbeat")) {}

  void Do(const SendRegister& effect);
  void Do(const SendHeartbeat& effect);
  void Do(const SendLease& effect);
  void Do(const SendAnnounce& effect);
  void Do(const SendFailure& effect);
  void Do(const SendGoodbye& effect);

 private:
  const Options options_;
  const std::unique_ptr<WorkQueue> control_, lease_, heartbeat_;  // last: they end first
};

}  // namespace dl::executor

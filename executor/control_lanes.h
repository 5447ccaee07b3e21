// Sends short calls to the master. Heartbeats have a queue, and lease requests have another, so
// that no other call delays them. All other calls share a third queue.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/work_queue.h"
#include "executor/core/executor_events.h"
#include "rpc/service.h"

namespace dl::executor {

// Only the core's thread may call Do(). The destructor drops queued calls, and waits until the
// running calls have ended.
class ControlLanes {
 public:
  struct Options {
    rpc::ExecutorService& master;     // must outlive the lanes
    std::function<void(Event)> post;  // adds to the core's queue; must be thread-safe
    // Callbacks that add to a request what the core does not know (SendRegister, SendHeartbeat).
    // add_caches adds the names of the cached parts of states. add_progress adds the progress of
    // the units in `running`, and figures of the caches. Both add the number of pieces of states
    // that were fetched again. `computations` has the lease that starts the computation of each
    // unit in `running`, in the same order. The unit's `lease` in `running` may be newer. Called on
    // the core's thread. Not null.
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

  // Each queues a call and returns. The matching event with the master's answer, or the error, is
  // posted when the call has ended. GoodbyeAnswered has no content.
  void Do(const SendRegister& effect);
  void Do(const SendHeartbeat& effect);
  void Do(const SendLease& effect);
  void Do(const SendAnnounce& effect);
  void Do(const SendFailure& effect);
  void Do(const SendGoodbye& effect);

 private:
  const Options options_;
  const std::unique_ptr<WorkQueue> control_, lease_, heartbeat_;  // declared last: destroyed first
};

}  // namespace dl::executor

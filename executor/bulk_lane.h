// Sends results and states to the master, one transfer at a time, on the work queue "bulk". Holds
// results of gathered rounds until they are dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "averaging/state_layout.h"
#include "base/limits.h"
#include "base/work_queue.h"
#include "executor/computation.h"
#include "executor/core/executor_events.h"
#include "executor/held_results.h"
#include "executor/moved_bytes.h"
#include "executor/state_exchange.h"
#include "rpc/service.h"

namespace dl::executor {

// Must be called only by the core's thread.
class BulkLane {
 public:
  struct Options {
    rpc::ExecutorService& master;  // must outlive the lane, like the next two
    StateExchange& exchange;
    Computations& computations;
    std::function<void(Event)> post;  // adds to the core's queue; must be thread-safe
    // Returns the state layout of the gather's job. Fetches the job from the master if needed, in
    // the given session. Must be thread-safe.
    std::function<StatusOr<std::shared_ptr<const averaging::StateLayout>>(const rpc::Gather&,
                                                                          uint64_t session)>
        layout;
    HeldResults::Options held;
    int64_t chunk_bytes = limits::kChunkBytes;  // chunk size of gathered results
    MakeWorkQueue make_queue = StartWorkerThread;
  };
  explicit BulkLane(Options options)
      : options_(std::move(options)), held_(options_.held), queue_(options_.make_queue("bulk")) {}

  // Each queues its effect and returns. SendContribution, SendGather and OfferPart post
  // ContributionSent, GatherSent and PartOffered when they are done, after ResultLost for a lost
  // result. Transfers that were queued before DropResult still send the result.
  void Do(const SendContribution& effect);
  void Do(const HoldResult& effect);
  void Do(const SendGather& effect);
  void Do(const DropResult& effect);
  void Do(const OfferPart& effect);

 private:
  using Waiting = std::shared_ptr<MovedBytes::Waiting>;
  // While the returned object exists, bytes that the master acknowledges count as progress of the
  // computation. Returns null for null.
  Waiting WaitFor(const std::shared_ptr<Computation>& computation);
  // Like WaitFor, for a computation that waits in the queue. Returns null if the last attempt to
  // send its result failed before a byte was acknowledged.
  Waiting WaitInLine(const std::shared_ptr<Computation>& computation);
  // Runs `send` as the transfer of these computations, and records whether it failed before a byte
  // was acknowledged.
  template <typename Send>
  StatusOr<rpc::ContributionReply> TakeTurn(
      const std::vector<std::shared_ptr<Computation>>& computations,
      const std::vector<Waiting>& in_line, Send send);

  // ---- on the queue's thread ----
  struct Announced {
    uint64_t lease = 0;  // names the computation
    UnitId unit;
    uint64_t hash = 0;
    const std::shared_ptr<Computation>& computation;  // null: dropped meanwhile
  };
  // Returns the result of a finished computation, from the computation itself or from held_. Posts
  // ResultLost if it cannot be read, or if a held result differs from its announcement. A shortage
  // of memory is an error without that event, because a later attempt may succeed.
  StatusOr<SharedPart> ResultOf(const Announced& announced);

  const Options options_;
  MovedBytes acknowledged_;  // of contributions
  HeldResults held_;
  const std::unique_ptr<WorkQueue> queue_;  // declared last: destroyed first
};

}  // namespace dl::executor

// Sends results and states to the master, one transfer after the other, on the queue "bulk"; keeps
// results until they are sent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "averaging/state_layout.h"
#include "base/limits.h"
#include "base/work_queue.h"
#include "executor/computation.h"
#include "executor/core/events.h"
#include "executor/held_results.h"
#include "executor/moved_bytes.h"
#include "executor/state_exchange.h"
#include "rpc/service.h"

namespace dl::executor {

// Called by the core's thread alone.
class BulkLane {
 public:
  struct Options {
    rpc::ExecutorService& master;  // these three outlive it
    StateExchange& exchange;
    Computations& computations;
    std::function<void(Event)> post;  // into the core's queue; thread-safe
    // The layout of the states of a gather's job, for a session with the master; thread-safe.
    std::function<StatusOr<std::shared_ptr<const averaging::StateLayout>>(const rpc::Gather&,
                                                                          uint64_t session)>
        layout;
    HeldResults::Options held;
    int64_t chunk_bytes = limits::kChunkBytes;  // of what is gathered
    MakeWorkQueue make_queue = StartWorkerThread;
  };
  explicit BulkLane(Options options)
      : options_(std::move(options)), held_(options_.held), queue_(options_.make_queue("bulk")) {}

  void Do(const SendContribution& effect);
  void Do(const HoldResult& effect);
  void Do(const SendGather& effect);
  void Do(const DropResult& effect);
  void Do(const OfferPart& effect);

 private:
  using Waiting = std::shared_ptr<MovedBytes::Waiting>;
  // While it lives, what the master acknowledges counts for the computation; null for null.
  Waiting WaitFor(const std::shared_ptr<Computation>& computation);
  // In the queue, behind others: null for one whose last turn moved nothing.
  Waiting WaitInLine(const std::shared_ptr<Computation>& computation);
  // Runs `send` as the turn of these, and notes whether it moved anything.
  template <typename Send>
  StatusOr<rpc::ContributionReply> TakeTurn(
      const std::vector<std::shared_ptr<Computation>>& computations,
      const std::vector<Waiting>& in_line, Send send);

  // ---- in pieces of the queue ----
  // Of a computation that is over, wherever it lies.
  StatusOr<SharedPart> ResultOf(uint64_t lease, const std::shared_ptr<Computation>& computation);

  const Options options_;
  MovedBytes acknowledged_;  // of contributions
  HeldResults held_;
  const std::unique_ptr<WorkQueue> queue_;  // last: it ends first
};

}  // namespace dl::executor

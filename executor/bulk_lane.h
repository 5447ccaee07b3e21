// What an executor sends of its results and states: each transfer behind the one before it, on the
// bulk thread; and where results are until then.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/worker_thread.h"
#include "executor/core/events.h"
#include "executor/held_results.h"
#include "executor/moved_bytes.h"
#include "executor/workshop.h"

namespace dl::executor {

// The core's thread's.
class BulkLane {
 public:
  explicit BulkLane(Workshop& shop) : shop_(shop), held_(shop.options.held) {}

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

  // ---- on the bulk thread ----
  // Of a computation that is over, wherever it lies.
  StatusOr<SharedPart> ResultOf(uint64_t lease, const std::shared_ptr<Computation>& computation);

  Workshop& shop_;
  MovedBytes acknowledged_;  // of contributions
  HeldResults held_;
  WorkerThread bulk_{"bulk"};  // last: it ends first
};

}  // namespace dl::executor

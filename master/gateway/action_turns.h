// The turn of one action or submission. While an action has the turn, no other action changes what
// it read from the store: the record of a job that ended, and which blocks are there.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/memory_budget.h"
#include "base/status.h"

namespace dl::master {

// Thread-safe.
class ActionTurns {
 public:
  // The turn is over when every copy is gone. The caller holds one copy and its event another one,
  // which the core keeps until the event's batch is durable. So a caller that gives up at its
  // deadline does not end the turn of an action that is still on its way.
  using Turn = std::shared_ptr<const void>;

  // Turns are given in the order of the calls. Unavailable when the turn has not come by
  // `deadline`, or after Close.
  StatusOr<Turn> Take(Instant deadline);
  // Callers that wait give up, and later ones do not wait.
  void Close() { turns_->Close(); }

 private:
  // Shared with the turns: events that nothing will step any more may outlive this.
  const std::shared_ptr<MemoryBudget> turns_ = std::make_shared<MemoryBudget>(1);
};

}  // namespace dl::master

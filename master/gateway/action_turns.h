// The right to execute one action or submission. While an action holds the turn, no other action
// changes records of ended jobs or deletes blocks, so what it read from the store still holds.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/memory_budget.h"
#include "base/status.h"

namespace dl::master {

// Thread-safe.
class ActionTurns {
 public:
  // The turn ends when all copies are destroyed. The caller holds one copy. Its event holds
  // another, which the core keeps until the event's batch is durable. If the caller gives up at its
  // deadline, the action in progress therefore keeps the turn.
  using Turn = std::shared_ptr<const void>;

  // Waits for the turn. Turns are given in the order of the calls. Returns Unavailable if the turn
  // is not free by `deadline`, or after Close().
  StatusOr<Turn> Take(Instant deadline);
  // Makes waiting and later calls of Take() return Unavailable.
  void Close() { turns_->Close(); }

 private:
  // Shared with the turns, because events that are never processed may outlive this object.
  const std::shared_ptr<MemoryBudget> turns_ = std::make_shared<MemoryBudget>(1);
};

}  // namespace dl::master

#include "master/gateway/action_turns.h"

#include <utility>

namespace dl::master {
namespace {

// The order of members matters: the charge is returned before the budget is destroyed.
struct HeldTurn {
  std::shared_ptr<MemoryBudget> turns;
  MemoryBudget::Charge charge;
};

}  // namespace

StatusOr<ActionTurns::Turn> ActionTurns::Take(Instant deadline) {
  auto charge = turns_->Take(1, deadline);
  if (!charge.ok()) {
    return Unavailable({.message = "another action or submission is still being written",
                        .remedy = "Try again later"});
  }
  return std::make_shared<const HeldTurn>(HeldTurn{turns_, *std::move(charge)});
}

}  // namespace dl::master

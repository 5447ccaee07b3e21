// What a simulated executor sends of its results and states.
#pragma once

#include <string>

#include "executor/core/events.h"
#include "tests/sim/executor_workshop.h"

namespace dl::sim {

class ExecutorBulk {
 public:
  explicit ExecutorBulk(ExecutorWorkshop& shop) : shop_(shop) {}

  void Do(const executor::SendContribution& effect);
  void Do(const executor::HoldResult&) {}
  void Do(const executor::SendGather& effect);
  void Do(const executor::DropResult& effect) { shop_.results.erase(effect.lease); }
  void Do(const executor::OfferPart& effect);

 private:
  // The results that it names, or their sum.
  std::string ContentOf(const executor::SendGather& effect);

  ExecutorWorkshop& shop_;
};

}  // namespace dl::sim

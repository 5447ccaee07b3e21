// The units of the open rounds and evaluations: finds, withdraws and removes them.
#pragma once

#include "master/core/machine/jobs.h"
#include "master/core/master_step.h"

namespace dl::master {

class OpenUnits {
 public:
  OpenUnits(CurrentStep& step, Jobs& jobs) : step_(step), jobs_(jobs) {}

  // Returns the unit with this id and marks it as touched; null unless it belongs to the open round
  // or evaluation. A round also counts as open while it is gathered or merged.
  Unit* Find(Job& job, const UnitId& id);
  // Withdraws an accepted result, because its bytes did not arrive or a dispute showed that it is
  // wrong, and drops the bytes that the master has of it. The unit then needs a result again. The
  // caller must touch the unit.
  void TakeBack(Unit& unit);
  // Ends all leases of the open units, because their work is no longer needed. Executors learn of
  // it from their next heartbeats.
  void Abandon(Job& job);
  // Removes all units, with their leases, results and totals. References to them become invalid.
  // Only the parts of the machine that open, close or end a round or an evaluation may call it.
  // Parts that process results or failures record a request instead (requests.h).
  void Drop(Job& job);

 private:
  CurrentStep& step_;
  Jobs& jobs_;
};

}  // namespace dl::master

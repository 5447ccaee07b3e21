// The units of the open rounds and evaluations: finds, withdraws and removes them.
#pragma once

#include "master/core/machine/jobs.h"
#include "master/core/master_step.h"

namespace dl::master {

class OpenUnits {
 public:
  OpenUnits(CurrentStep& step, Jobs& jobs) : step_(step), jobs_(jobs) {}

  // Returns a unit of the open round or evaluation, also during the merge, and marks it as touched;
  // null for others.
  Unit* Find(Job& job, const UnitId& id);
  // Withdraws an accepted result whose bytes are not available. The unit is computed again. The
  // caller must touch the unit.
  void TakeBack(Unit& unit);
  // Ends all leases of the open units, because their work is no longer needed. Executors learn of
  // it from their next heartbeats.
  void Abandon(Job& job);
  // Removes all units, with their leases and results. References to them become invalid. Only parts
  // that open, close or end a round may call it; parts below request it (Requests).
  void Drop(Job& job);

 private:
  CurrentStep& step_;
  Jobs& jobs_;
};

}  // namespace dl::master

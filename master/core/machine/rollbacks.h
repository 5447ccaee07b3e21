// Rolls jobs back to before rounds that no longer count (docs/adr/0007-going-back.md).
#pragma once

#include <cstdint>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Rollbacks : public Component {
 public:
  using Component::Component;

  // Appends a rollback record, sets later checkpoints aside, removes all units, and recovers the
  // job after round `rollback.to`. A job that a user stops ends with that state. REQUIRES: the job
  // is live, and 0 <= rollback.to <= its last committed round.
  void RollBack(Job& job, Rollback rollback);
  // Settles a request. Does nothing if an earlier request of the step removed the rounds already.
  void Settle(RollbackRequest request);

 private:
  void ForgetRoundsAfter(Job& job, int64_t round);
};

}  // namespace dl::master

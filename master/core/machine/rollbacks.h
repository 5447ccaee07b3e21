// Rolls jobs back to before rounds that no longer count (docs/adr/0007-going-back.md).
#pragma once

#include <cstdint>

#include "master/core/machine/checkpoints.h"
#include "master/core/machine/endings.h"
#include "master/core/machine/job_logs.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/preparations.h"
#include "master/core/machine/recovery.h"
#include "master/core/machine/sources.h"
#include "master/core/machine/timeline_recording.h"
#include "master/core/machine/trust.h"

namespace dl::master {

class Rollbacks : public Component {
 public:
  struct Uses {
    Checkpoints& checkpoints;
    Endings& endings;
    JobLogs& logs;
    Preparations& preparations;
    Recovery& recovery;
    Sources& sources;
    TimelineRecording& timeline;
    Trust& trust;
  };
  Rollbacks(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Appends a rollback record, sets later checkpoints aside, removes all units, and recovers the
  // job after round `rollback.to`. A job that a user cancels or pauses stops at that round instead.
  // REQUIRES: the job is live, and 0 <= rollback.to <= its last committed round.
  void RollBack(Job& job, Rollback rollback);
  // Settles a request. Does nothing if an earlier request of the step removed the rounds already.
  void Settle(RollbackRequest request);

 private:
  void ForgetRoundsAfter(Job& job, int64_t round);

  const Uses uses_;
};

}  // namespace dl::master

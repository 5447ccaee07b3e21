// The course of a job from round to round, until it finishes.
#pragma once

#include <string_view>

#include "master/core/machine/checkpoints.h"
#include "master/core/machine/endings.h"
#include "master/core/machine/evaluation.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/round_opening.h"

namespace dl::master {

class Lifecycle : public Component {
 public:
  struct Uses {
    Checkpoints& checkpoints;
    Endings& endings;
    Evaluation& evaluation;
    RoundOpening& opening;
  };
  Lifecycle(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Continues a job whose state of job.at exists. Requests the checkpoint of an epoch's end if it
  // is missing. Then evaluates the state, waits for an older checkpoint, opens the next round, or
  // finishes the job. Replaces its units.
  void Advance(Job& job);
  // Removes the units of the job. Writes a last checkpoint if necessary. When it is written, the
  // job is cancelled or paused if a user wants that; otherwise it has SUCCEEDED.
  void Finish(Job& job);
  // Lets executors fetch the state of job.at. Releases older states after the batch is durable.
  void PublishState(const Job& job);
  // Records the checkpoint and lets a waiting job proceed. If the disk was full, or the master
  // lacked memory or open files, retries later, or stops without the checkpoint if a user stops the
  // job. Other errors FAIL the job. Ignores checkpoints of jobs that ended or rolled back
  // meanwhile.
  void On(const CheckpointWritten& event);
  // Returns whether the operation failed because the master lacks memory or open files, and has to
  // be requested again. At the first failure of this kind in a row, warns the users of the job.
  bool LacksResources(Job& job, const Status& status, std::string_view what);
  // SIGTERM: requests last checkpoints of all live jobs. No unit is leased and no job is started
  // afterwards.
  void On(const ShutdownRequested&);

 private:
  void RetryLater(Job& job, const Status& why);

  const Uses uses_;
};

}  // namespace dl::master

// Ends and pauses jobs.
#pragma once

#include <utility>

#include "master/core/machine/checkpoints.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/queue.h"
#include "master/core/machine/sources.h"

namespace dl::master {

class Endings : public Component {
 public:
  struct Uses {
    Checkpoints& checkpoints;
    Queue& queue;
    Sources& sources;
  };
  Endings(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Moves the job to a terminal state, persists its reports and reports its result. The engine
  // releases its states. Removes its units. The job itself stays at its address until the end of
  // the step. REQUIRES: `state` is terminal.
  void End(Job& job, JobState state, Reason reason, Status error);
  void Fail(Job& job, Reason reason, Status error) {
    End(job, JobState::kFailed, reason, std::move(error));
  }
  // Pauses the job: the engine releases its states, and the job stays in memory until it is
  // resumed. Removes its units.
  void Rest(Job& job);
  // Ends a job that a user cancelled, or pauses it, as requested. REQUIRES: job.stops().
  void Stop(Job& job);

 private:
  void StopComputing(Job& job);

  const Uses uses_;
};

}  // namespace dl::master

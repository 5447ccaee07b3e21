// The parts of the job machine, which call one another. Each part has its own state; the values of
// a job are in job/.
#pragma once

#include "master/core/machine/checkpoints.h"
#include "master/core/machine/contracts.h"
#include "master/core/machine/evaluation.h"
#include "master/core/machine/failures.h"
#include "master/core/machine/gathering.h"
#include "master/core/machine/job_logs.h"
#include "master/core/machine/lifecycle.h"
#include "master/core/machine/queue.h"
#include "master/core/machine/recovery.h"
#include "master/core/machine/results.h"
#include "master/core/machine/rollbacks.h"
#include "master/core/machine/rounds.h"
#include "master/core/machine/sources.h"
#include "master/core/machine/trust.h"
#include "master/core/machine/unit_progress.h"
#include "master/core/machine/upkeep.h"
#include "master/core/machine/waiting.h"

namespace dl::master {

class Machine {
 public:
  Machine(MasterIncarnation& incarnation_, CurrentStep& step_, Fleet& fleet_)
      : incarnation(incarnation_),
        step(step_),
        fleet(fleet_),
        eligibility(incarnation_, step_, fleet_),
        jobs(incarnation_) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  MasterIncarnation& incarnation;
  CurrentStep& step;
  Fleet& fleet;
  const Eligibility eligibility;
  Jobs jobs;
  ReadyQueue work;
  Requests requests;
  Lifecycle lifecycle{*this};
  Queue queue{*this};
  Rounds rounds{*this};
  Evaluation evaluation{*this};
  Gathering gathering{*this};
  Results results{*this};
  Failures failures{*this};
  Progress progress{*this};
  Trust trust{*this};
  Rollbacks rollbacks{*this};
  Recovery recovery{*this};
  JobLogs logs{*this};
  Checkpoints checkpoints{*this};
  Sources sources{*this};
  Waiting waiting{*this};
  Contracts contracts{*this};
  Upkeep upkeep{*this};
};

}  // namespace dl::master

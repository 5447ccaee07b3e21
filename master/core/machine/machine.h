// The state machine of jobs, in layers (docs/adr/0014-layers-of-the-machine.md). Each part gets
// references to the parts that it uses, all of which are declared before it. Parts share the
// Context (jobs, ready units, requests); a few also have bookkeeping of their own. The types of a
// job's data are in master/core/job/. Not thread-safe. Only Core (master/core/master_core.h)
// creates it.
#pragma once

#include "master/core/machine/admission.h"
#include "master/core/machine/backoffs.h"
#include "master/core/machine/checkpoints.h"
#include "master/core/machine/contracts.h"
#include "master/core/machine/endings.h"
#include "master/core/machine/evaluation.h"
#include "master/core/machine/failures.h"
#include "master/core/machine/gather_results.h"
#include "master/core/machine/gathering.h"
#include "master/core/machine/job_logs.h"
#include "master/core/machine/job_start.h"
#include "master/core/machine/lifecycle.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/preparations.h"
#include "master/core/machine/queue.h"
#include "master/core/machine/recovery.h"
#include "master/core/machine/results.h"
#include "master/core/machine/rollbacks.h"
#include "master/core/machine/round_opening.h"
#include "master/core/machine/round_series.h"
#include "master/core/machine/rounds.h"
#include "master/core/machine/sources.h"
#include "master/core/machine/timeline_recording.h"
#include "master/core/machine/trust.h"
#include "master/core/machine/unit_progress.h"
#include "master/core/machine/upkeep.h"
#include "master/core/machine/waiting.h"

namespace dl::master {

class Machine {
 public:
  Machine(MasterIncarnation& incarnation, CurrentStep& step, Fleet& fleet)
      : context(incarnation, step, fleet) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Context context;
  JobLogs logs{context};
  Preparations preparations{context};
  RoundSeries series{context};
  Sources sources{context};
  TimelineRecording timeline{context};
  Queue queue{context};
  Backoffs backoffs{context};
  Gathering gathering{context};
  Checkpoints checkpoints{context, {.sources = sources}};
  Trust trust{context, {.backoffs = backoffs, .gathering = gathering}};
  Failures failures{context, {.backoffs = backoffs, .trust = trust}};
  Endings endings{context, {.checkpoints = checkpoints, .queue = queue, .sources = sources}};
  RoundOpening opening{context, {.preparations = preparations, .trust = trust}};
  Evaluation evaluation{context,
                        {.checkpoints = checkpoints,
                         .logs = logs,
                         .series = series,
                         .timeline = timeline,
                         .trust = trust}};
  Progress progress{context, {.backoffs = backoffs, .failures = failures}};
  Lifecycle lifecycle{context,
                      {.checkpoints = checkpoints,
                       .endings = endings,
                       .evaluation = evaluation,
                       .opening = opening}};
  Results results{
      context, {.backoffs = backoffs, .failures = failures, .progress = progress, .trust = trust}};
  GatherResults gather_results{context,
                               {.backoffs = backoffs,
                                .failures = failures,
                                .gathering = gathering,
                                .progress = progress,
                                .trust = trust}};
  Recovery recovery{context,
                    {.checkpoints = checkpoints,
                     .endings = endings,
                     .lifecycle = lifecycle,
                     .logs = logs,
                     .opening = opening,
                     .preparations = preparations,
                     .sources = sources}};
  Rollbacks rollbacks{context,
                      {.checkpoints = checkpoints,
                       .endings = endings,
                       .logs = logs,
                       .preparations = preparations,
                       .recovery = recovery,
                       .sources = sources,
                       .timeline = timeline,
                       .trust = trust}};
  Contracts contracts{context, {.endings = endings, .recovery = recovery}};
  Rounds rounds{context,
                {.checkpoints = checkpoints,
                 .endings = endings,
                 .evaluation = evaluation,
                 .gathering = gathering,
                 .lifecycle = lifecycle,
                 .logs = logs,
                 .opening = opening,
                 .rollbacks = rollbacks,
                 .series = series,
                 .timeline = timeline,
                 .trust = trust}};
  Waiting waiting{context, {.contracts = contracts, .endings = endings, .failures = failures}};
  JobStart start{context,
                 {.endings = endings,
                  .logs = logs,
                  .preparations = preparations,
                  .queue = queue,
                  .recovery = recovery,
                  .rollbacks = rollbacks,
                  .sources = sources}};
  Admission admission{context,
                      {.contracts = contracts,
                       .endings = endings,
                       .queue = queue,
                       .start = start,
                       .waiting = waiting}};
  Upkeep upkeep{context,
                {.admission = admission,
                 .checkpoints = checkpoints,
                 .contracts = contracts,
                 .progress = progress,
                 .queue = queue,
                 .recovery = recovery,
                 .rollbacks = rollbacks,
                 .rounds = rounds,
                 .waiting = waiting}};
};

}  // namespace dl::master

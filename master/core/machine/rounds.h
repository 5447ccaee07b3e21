// Closes and commits the rounds of a job.
#pragma once

#include "master/core/machine/checkpoints.h"
#include "master/core/machine/endings.h"
#include "master/core/machine/evaluation.h"
#include "master/core/machine/gathering.h"
#include "master/core/machine/job_logs.h"
#include "master/core/machine/lifecycle.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/rollbacks.h"
#include "master/core/machine/round_opening.h"
#include "master/core/machine/round_series.h"
#include "master/core/machine/timeline_recording.h"
#include "master/core/machine/trust.h"

namespace dl::master {

class Rounds : public Component {
 public:
  struct Uses {
    Checkpoints& checkpoints;
    Endings& endings;
    Evaluation& evaluation;
    Gathering& gathering;
    Lifecycle& lifecycle;
    JobLogs& logs;
    RoundOpening& opening;
    Rollbacks& rollbacks;
    RoundSeries& series;
    TimelineRecording& timeline;
    Trust& trust;
  };
  Rounds(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // If all units of the round or evaluation are settled, starts its gather or merge, or ends the
  // evaluation. It does not matter what settled the last unit: a result, its bytes, or a quarantine
  // caused by another job. If many results have to be added up again, continues in later steps. If
  // units of a round that is gathered are no longer settled, reopens the round. FAILS the job if
  // the metrics of an evaluation cannot be added. May remove or replace the units.
  void CloseSettledRound(Job& job);
  // Commits the round, or compares it with its commit if it is computed again. Then continues the
  // job. Requests the merge again if the master lacked memory or open files. FAILS the job if the
  // merge failed otherwise or metrics cannot be added. If the states differ, FAILS the job, or
  // rolls it back if an unopened sum may be the cause. Computes an epoch again that did not train
  // each example once; FAILS the job the second time. Ignores merges that were superseded.
  void On(const RoundMerged& event);

 private:
  static bool MayClose(const Job& job);
  void RecheckEpoch(Job& job, int64_t round, uint64_t sum);
  void RecordVoters(Job& job, int64_t round);
  bool MayRestOnSums(const Job& job, int64_t round) const;
  void Commit(Job& job, const RoundMerged& merged);

  const Uses uses_;
};

}  // namespace dl::master

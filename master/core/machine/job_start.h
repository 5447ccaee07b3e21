// Starts jobs: new ones, resumed ones, and the stored ones after a restart of the master.
#pragma once

#include "master/core/job/recovered_job.h"
#include "master/core/machine/endings.h"
#include "master/core/machine/job_logs.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/preparations.h"
#include "master/core/machine/queue.h"
#include "master/core/machine/recovery.h"
#include "master/core/machine/rollbacks.h"
#include "master/core/machine/sources.h"

namespace dl::master {

class JobStart : public Component {
 public:
  struct Uses {
    Endings& endings;
    JobLogs& logs;
    Preparations& preparations;
    Queue& queue;
    Recovery& recovery;
    Rollbacks& rollbacks;
    Sources& sources;
  };
  JobStart(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Starts a queued job: prepares its first state, or recovers it if it has commits. If commits
  // rest on executors that were quarantined meanwhile, rolls it back first
  // (Job::RollsBackOnQuarantine). FAILS the job if its source was deleted. REQUIRES: the job has
  // a kernel contract.
  void StartJob(Job& job);
  // Adds a job from the store. Ends it if it was being cancelled or is given up
  // (RecoveredJob::given_up), and pauses it if it was being paused. Leaves a paused job paused.
  // Queues a job that was queued, has no commit, or needs more memory than the master may use.
  // Otherwise recovers it, or rolls it back first as StartJob does. Damaged jobs are kept as ended.
  void LoadJob(RecoveredJob recovered);

 private:
  void GoOn(Job& job);

  const Uses uses_;
};

}  // namespace dl::master

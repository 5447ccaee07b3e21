// Updates at the end of a step: jobs that its event touched, and deadlines that have passed. Upkeep
// examines only the jobs and units that the event touched, or whose deadline has passed. A change
// of the registered executors touches all jobs that are being computed. A change of their backoffs
// touches jobs with troubled units (UnitIndex). A change of the queue lets Admission examine all
// queued jobs, in several steps if necessary. CheckUpkeep() detects missed updates.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "master/core/machine/admission.h"
#include "master/core/machine/checkpoints.h"
#include "master/core/machine/contracts.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/queue.h"
#include "master/core/machine/recovery.h"
#include "master/core/machine/rollbacks.h"
#include "master/core/machine/rounds.h"
#include "master/core/machine/unit_progress.h"
#include "master/core/machine/waiting.h"

namespace dl::master {

class Upkeep : public Component {
 public:
  struct Uses {
    Admission& admission;
    Checkpoints& checkpoints;
    Contracts& contracts;
    Progress& progress;
    Queue& queue;
    Recovery& recovery;
    Rollbacks& rollbacks;
    Rounds& rounds;
    Waiting& waiting;
  };
  Upkeep(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Updates the job's unit index for its touched units, and its entry in the ready queue.
  void RefreshUnits(Job& job);
  // Updates Job::due, the next time at which the job must be examined although no event touches it.
  void UpdateDeadline(Job& job);
  // How long a unit's only lease may run before the unit may be leased a second time.
  Duration StragglingAfter(const Job& job) const;
  // Processes deadlines that have passed: of units, backoffs, queued jobs and reads of checkpoints.
  void ProcessDueTimers();
  // Settles requests, and then processes touched jobs and the changes that follow, until no job is
  // touched.
  void Settle();
  // Returns the earliest deadline of all jobs; Instant::Max() if there is none.
  Instant FirstDue() const;
  // Returns Internal if the derived state differs from a computation from scratch.
  Status CheckUpkeep() const;

 private:
  UnitIndex::Entry EntryOf(const Job& job, const Unit& unit) const;
  void RecordWork(Job& job);
  Instant DueOf(const Job& job) const;
  void ExpireUnits(Job& job);
  void ExpireLeases(Job& job, Unit& unit);
  void SettleRequests();
  void SettleJob(Job& job);

  const Uses uses_;
  std::set<std::pair<Instant, std::string>> due_;
};

}  // namespace dl::master

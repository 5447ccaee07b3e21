// Updates at the end of a step: jobs that its event touched, and deadlines that have passed.
// Examines all jobs, units or executors only if the registered executors changed.
// CheckUpkeep() detects missed updates.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Upkeep : public Component {
 public:
  using Component::Component;

  // Marks all jobs that may be affected because executors came, left or changed in trust.
  void UpdateAfterFleetChange();
  // Marks the jobs that are affected because an executor was backed off, or its backoff ended.
  void UpdateBackoffs();
  // Updates the job's unit index and its entry in the ready queue.
  void RefreshUnits(Job& job);
  // Updates the time at which the passing of time alone changes something of the job.
  void UpdateDeadline(Job& job);
  // How long a unit's only lease may run before the unit is leased a second time.
  Duration StragglingAfter(const Job& job) const;
  // Processes units whose deadline has passed.
  void ProcessDueTimers();
  // Settles requests, and then processes touched jobs and the changes that follow, until no job is
  // touched.
  void Settle();
  // Returns the earliest deadline of all jobs.
  Instant FirstDue() const;
  // Returns an error if the derived state differs from a computation from scratch.
  Status CheckUpkeep() const;

 private:
  UnitIndex::Entry EntryOf(const Job& job, const Unit& unit) const;
  void RecordWork(Job& job);
  Instant DueOf(const Job& job) const;
  void ExpireUnits(Job& job);
  void ExpireLeases(Job& job, Unit& unit);
  void SettleRequests();
  void SettleJob(Job& job);

  std::set<std::pair<Instant, std::string>> due_;
};

}  // namespace dl::master

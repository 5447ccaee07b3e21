// The master's decisions as a pure state machine. Step(event, moment, out) changes the state and
// adds the records to persist and the effects to execute to `out`. It runs on one thread and has no
// I/O, clock or randomness. See docs/architecture.md.
//
// This class passes each event to the component that handles it. The components are:
//   job/      a job: its record, its log, the units of its open round.
//   views/    snapshots of jobs and of the cluster, which the core returns.
//   records/  the JSON of everything that is stored.
//   fleet/    the registered executors, and which of them may compute a unit.
//   machine/  the course of jobs: rounds, evaluations, checkpoints, recovery, trust.
//   leasing/  executors register, ask for work and leave.
//   client_requests/  requests of users.
// A component may use only components above it in this list, and the events and effects of the
// files in this folder, which come before fleet/.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/clock.h"
#include "master/core/client_requests/client_requests.h"
#include "master/core/fleet/fleet.h"
#include "master/core/job/recovered_job.h"
#include "master/core/leasing/leasing.h"
#include "master/core/leasing/sessions.h"
#include "master/core/machine/machine.h"
#include "master/core/master_events.h"
#include "master/core/master_incarnation.h"
#include "master/core/master_step.h"

namespace dl::master {

class Core {
 public:
  // Restores the jobs that were read from the store. `now` is the time of the master's start. `out`
  // receives the records to persist and the effects to execute at the start.
  Core(CoreOptions options, RecoveredState recovered, Instant now, Output& out);

  // Applies one event.
  void Step(const Event& event, const StepTime& moment, Output& out);

  // Returns the time at which Step must be called again, with a Tick if no other event has come
  // until then; Instant::Max() if nothing is due.
  Instant NextDeadline() const;

  bool ReadyToStop() const;  // true after ShutdownRequested, while no checkpoint is being written

  uint64_t term() const { return incarnation_.term; }
  // The jobs that have not ended, by id.
  const std::map<std::string, Job>& jobs() const { return machine_.context.jobs.live(); }
  // Returns a live job or a recently ended one that is still in memory; null if there is none.
  const Job* Find(const std::string& id) const { return machine_.context.jobs.Find(id); }
  const std::set<std::string>& quarantined() const { return fleet_.quarantined(); }
  const std::map<uint64_t, Session>& sessions() const { return fleet_.sessions(); }

  // Returns Internal, which names the first violated invariant that was found, or OK. The simulator
  // and most tests of the core call it after every step.
  Status CheckInvariants() const;

 private:
  Status CheckJob(const Job& job) const;
  Status CheckRound(const Job& job) const;

  MasterIncarnation incarnation_;
  CurrentStep step_;
  Fleet fleet_;
  Machine machine_;
  Leasing leasing_;
  Sessions sessions_;
  ClientRequests client_requests_;
};

}  // namespace dl::master

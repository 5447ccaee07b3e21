// The master's decisions as a pure state machine: Step(event, now) changes the state and says what
// to persist and what to do. One thread, no I/O, no clock, no randomness. docs/architecture.md
// tells it in prose.
//
// Here events are only handed to the room that they are for:
//   job/      what a job is: its records, its log, the units of its open round
//   fleet/    who is there to compute, and who may compute what
//   machine/  what jobs do: rounds, evaluations, checkpoints, recovery, trust
//   leasing/  executors come, ask for work, go
//   desk/     what users ask
// Each room uses those above it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/clock.h"
#include "master/core/current_step.h"
#include "master/core/desk/desk.h"
#include "master/core/events.h"
#include "master/core/fleet/fleet.h"
#include "master/core/job/recovered_job.h"
#include "master/core/leasing/leasing.h"
#include "master/core/leasing/sessions.h"
#include "master/core/life.h"
#include "master/core/machine/machine.h"

namespace dl::master {

class Core {
 public:
  Core(CoreOptions options, RecoveredState recovered, Instant now, Output& out);

  // Applies one event.
  void Step(const Event& event, const Moment& moment, Output& out);

  // When Step(Tick) has to be called at the latest.
  Instant NextDeadline() const;

  bool ReadyToStop() const;  // after ShutdownRequested: nothing is left to write

  uint64_t term() const { return life_.term; }
  const std::map<std::string, Job>& jobs() const { return machine_.jobs.live(); }
  // One of those, or one that ended lately; null for others.
  const Job* Find(const std::string& id) const { return machine_.jobs.Find(id); }
  const std::set<std::string>& quarantined() const { return fleet_.quarantined(); }
  const std::map<uint64_t, Session>& sessions() const { return fleet_.sessions(); }

  // Asserts what must always hold; the message of the first breach, or OK. Tests and the simulator
  // call it after every step.
  Status CheckInvariants() const;

 private:
  Status CheckJob(const Job& job) const;
  Status CheckRound(const Job& job) const;

  Life life_;
  CurrentStep step_;
  Fleet fleet_;
  Machine machine_;
  Leasing leasing_;
  Sessions sessions_;
  Desk desk_;
};

}  // namespace dl::master

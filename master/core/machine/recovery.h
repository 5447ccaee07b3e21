// Brings jobs to the state from which they continue. After a restart of the master or a rollback:
// loads the newest usable checkpoint, then fetches the last state from executors that still have
// it, or else computes the rounds in between again. Every way must give the bits of the commits. A
// state that is loaded or fetched must have the committed names, and each recomputed round is
// compared with its commit.
#pragma once

#include <string>

#include "master/core/machine/checkpoints.h"
#include "master/core/machine/endings.h"
#include "master/core/machine/job_logs.h"
#include "master/core/machine/lifecycle.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/preparations.h"
#include "master/core/machine/round_opening.h"
#include "master/core/machine/sources.h"

namespace dl::master {

class Recovery : public Component {
 public:
  struct Uses {
    Checkpoints& checkpoints;
    Endings& endings;
    Lifecycle& lifecycle;
    JobLogs& logs;
    RoundOpening& opening;
    Preparations& preparations;
    Sources& sources;
  };
  Recovery(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Enters RECOVERING, removes all units, and requests the round log from the newest checkpoint on.
  // On(LogSurveyed) then loads this checkpoint. Without a checkpoint, the job begins at round 0
  // again. FAILS the job if it has neither. Tries all checkpoints again that were found unusable
  // earlier. REQUIRES: the job has a commit.
  void BeginRecovery(Job& job);
  // Does nothing until the time to wait for offers is over: CoreOptions::recovery_grace, or longer,
  // as the transfer takes, if registered executors hold all parts. Then opens the first round after
  // the loaded state: the rounds from there to the last committed one are computed again. FAILS the
  // job instead if they were committed under another kernel contract.
  void CloseOffers(Job& job);
  // Asks registered executors for parts of the last committed state that they hold and that are not
  // requested. REQUIRES: Phase::kOffers.
  void AskForParts(Job& job);
  // A session ended. Asks other executors for the parts that it was asked for and did not send, and
  // waits longer for them. Must be called after the session was removed from the fleet. Does
  // nothing in other phases than kOffers.
  void SessionEnded(Job& job, uint64_t session);
  // Prepares the state when all of its parts have arrived.
  void On(const PartArrived& event);

  // The next three functions request the operation again if the master lacked memory or open files
  // (Lifecycle::LacksResources).
  //
  // Publishes the state and continues the job. Commits round 0 first if the job has no commit. If
  // the state could not be prepared or has the wrong names, tries the next source; FAILS the job if
  // it has no commit or no source is left. Ends or pauses the job instead if a user wants it to
  // stop. Ignores answers to earlier effects.
  void On(const StatePrepared& event);
  // Restores the job's view of its round log. Then starts to prepare the state that was chosen, or
  // stops the job if a user wants that. FAILS the job if the log could not be read or is not
  // complete. Ignores answers to earlier requests.
  void On(const LogSurveyed& event);
  // Keeps the commits of the rounds that are computed again, and opens the next of these rounds.
  // Finishes the job instead if a user wants it to stop. FAILS the job if the commits could not be
  // read. Ignores answers to earlier requests.
  void On(const CommitsRead& event);
  // Returns the message about the rounds that are computed again.
  static std::string ReplayText(const Job& job);

 private:
  // Loads the newest checkpoint that was not found unusable, or else round 0 from the seed or the
  // source. FAILS the job if nothing is left.
  void LoadNextCheckpoint(Job& job);
  // The state of a checkpoint exists and later rounds are committed. Waits for offered parts of the
  // last state, or computes the rounds again if the checkpoint of an epoch in between is missing.
  void BeginReplay(Job& job);
  // The last committed state is not available, so the rounds up to it are computed again.
  void EndOffers(Job& job);
  // Returns whether each part of the last committed state is in Preparation::wanted, and `holds`
  // returns true for it.
  static bool AllParts(const Job& job, bool (WantedPart::*holds)() const);
  static Duration TransferTime(const Job& job);  // estimate, for all parts
  void Rebind(Job& job);
  void PreparationFailed(Job& job, int64_t round, const Status& why);
  static bool MayReplay(const Job& job);
  void FailReplay(Job& job);

  const Uses uses_;
};

}  // namespace dl::master

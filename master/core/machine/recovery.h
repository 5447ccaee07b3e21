// Continues each job after a restart: loads the newest usable checkpoint, then fetches the last
// state from executors that still have it, or else computes the rounds in between again. Every way
// gives the same bits, and each recomputed round is compared with its commit.
#pragma once

#include <string>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Recovery : public Component {
 public:
  using Component::Component;

  // Adds a job from the store and continues it, according to its state. Damaged jobs are kept as
  // ended.
  void LoadJob(RecoveredJob recovered);
  // Continues a job after its last commit, or rolls it back to before rounds that rest on
  // unconfirmed results of quarantined executors. REQUIRES: the job has a commit.
  void GoOn(Job& job);
  // Enters RECOVERING and loads the newest checkpoint. Drops all units. REQUIRES: as GoOn.
  void BeginRecovery(Job& job);
  // Loads the newest checkpoint that was not found unusable, or else round 0 from the seed or the
  // source. FAILS the job if nothing is left.
  void LoadNextCheckpoint(Job& job);
  // The state of a checkpoint exists and later rounds are committed. Waits for offered parts of the
  // last state, or computes the rounds again if the checkpoint of an epoch in between is missing.
  void BeginReplay(Job& job);
  // Ends the wait for offers if no executor has all parts, or if they did not arrive in time.
  void CloseOffers(Job& job);
  // Asks registered executors for parts of the last committed state that they hold and that were
  // not requested yet. REQUIRES: Phase::kOffers.
  void AskForParts(Job& job);
  // The last committed state is not available, so the rounds up to it are computed again.
  void EndOffers(Job& job);
  // Prepares the state when all of its parts have arrived.
  void On(const PartArrived& event);
  // Returns the message about the rounds that are computed again.
  static std::string ReplayText(const Job& job);

 private:
  static bool MayReplay(const Job& job);
  void FailReplay(Job& job);
};

}  // namespace dl::master

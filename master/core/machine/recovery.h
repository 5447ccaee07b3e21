// After a restart: where every job goes on. The newest usable checkpoint, then the state that
// executors still hold, then recomputing the rounds in between; every way gives the same bits, and
// each recomputed round is compared with its commit.
#pragma once

#include <string>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Recovery : public Component {
 public:
  using Component::Component;

  void LoadJob(RecoveredJob recovered);
  // Behind its last commit, or behind the last one that no quarantined executor's word alone made.
  void GoOn(Job& job);
  void BeginRecovery(Job& job);
  void LoadNextCheckpoint(Job& job);
  void BeginReplay(Job& job);
  // Nobody has the whole state, or it did not come in time.
  void CloseOffers(Job& job);
  void AskForParts(Job& job);
  // The committed state is not to be had: recompute it.
  void EndOffers(Job& job);
  void On(const PartArrived& event);
  static std::string ReplayText(const Job& job);

 private:
  static bool MayReplay(const Job& job);
  void FailReplay(Job& job);
};

}  // namespace dl::master

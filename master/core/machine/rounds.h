// A round: open, merge, commit.
#pragma once

#include "master/core/machine/room.h"

namespace dl::master {

class Rounds : public Room {
 public:
  using Room::Room;

  void OpenNextRound(Job& job);
  // Whatever settled the last unit: a result, its bytes, or a quarantine that another job brought.
  void CloseWhatIsSettled(Job& job);
  // REQUIRES: everything of the round is staged, and the job's grid is its.
  void BeginMerge(Job& job);
  void ReopenRound(Job& job);
  void AbandonUnits(Job& job);
  void DropUnits(Job& job);
  void On(const RoundMerged& event);

 private:
  static bool MayClose(const Job& job);
  void TakeVotes(Job& job, int64_t round);
  void PreferHolders(Job& job, int64_t round);
  void RecheckEpoch(Job& job, int64_t round, uint64_t sum);
  void NoteVoters(Job& job, int64_t round);
  bool MayRestOnSums(const Job& job, int64_t round) const;
  void Commit(Job& job, const StateNames& names);

  uint64_t next_merge_ = 1;
};

}  // namespace dl::master

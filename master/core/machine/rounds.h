// Rounds of a job: open, merge, commit.
#pragma once

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Rounds : public Component {
 public:
  using Component::Component;

  // Opens the round after job.at: creates its units, and takes over votes and holders of results.
  // Requests the log if the commit to compare with is not in memory. REQUIRES: the state of job.at
  // exists.
  void OpenNextRound(Job& job);
  // Closes a round or evaluation if all of its units are settled, whatever settled the last one: a
  // result, its bytes, or a quarantine caused by another job.
  void CloseSettledRound(Job& job);
  // Starts the merge. REQUIRES: all contributions are staged or added, and job.grid is the round's
  // grid.
  void BeginMerge(Job& job);
  // Returns from merging or gathering to training, because units are no longer settled.
  void ReopenRound(Job& job);
  // Ends all leases of the open units, because their work is no longer needed. Executors learn of
  // it from their next heartbeats.
  void AbandonUnits(Job& job);
  // Removes all units, with their leases and results.
  void DropUnits(Job& job);
  // Commits the round. FAILS the job if the merge failed. Ignores merges that were superseded.
  void On(const RoundMerged& event);

 private:
  static bool MayClose(const Job& job);
  void TakeVotes(Job& job, int64_t round);
  void PreferHolders(Job& job, int64_t round);
  void RecheckEpoch(Job& job, int64_t round, uint64_t sum);
  void RecordVoters(Job& job, int64_t round);
  bool MayRestOnSums(const Job& job, int64_t round) const;
  void Commit(Job& job, const StateNames& names);

  uint64_t next_merge_ = 1;
};

}  // namespace dl::master

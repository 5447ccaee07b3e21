// Brings the contributions of a settled round into its merge. Rounds with more contributions than
// the master can stage are gathered (docs/adr/0002-merge-on-arrival.md): executors keep what they
// announced. When all units are announced, the grid is known. The master then requests a few
// contributions at a time and adds each on arrival, so it holds only a few at once. Several
// contributions of one executor may travel as their sum.
#pragma once

#include <string>
#include <vector>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Gathering : public Component {
 public:
  using Component::Component;

  // Starts the merge. REQUIRES: all contributions are staged or added, and job.grid is the round's
  // grid.
  void BeginMerge(Job& job);
  // Returns from merging or gathering to training, because units are no longer settled. Does
  // nothing in other phases.
  void ReopenRound(Job& job);
  // Starts requesting the contributions of a round, or its merge if all of them are added already.
  // Leaves the round open if contributions have to be computed again. REQUIRES: all units are
  // settled.
  void BeginGather(Job& job);
  // Returns the requests to the executor that are in progress. Without `again`, only those that no
  // earlier call returned.
  std::vector<rpc::Gather> GathersFor(Session& session, bool again);
  // Returns the request with this number that was made to this session; null if it was cancelled or
  // is answered.
  static const PendingGather* FindPending(const Job& job, uint64_t number, uint64_t session);
  // The engine has added the answer to a request. Marks the contributions as staged, or requests
  // the contributions of an opened sum. Then requests the next ones, or starts the merge after the
  // last. REQUIRES: FindPending() returns the request.
  void TakeGathered(Job& job, uint64_t number);
  // Returns Internal if an invariant of the job's gather is violated.
  Status CheckGathers(const Job& job) const;

 private:
  bool GathersOn(const Job& job, const averaging::GridExponents& grid) const;
  bool RestartGather(Job& job, averaging::GridExponents grid);
  // Cancels all requests. A contribution in flight may or may not have been added, so the sum is
  // discarded if any request was in flight.
  void CancelGathers(Job& job);
  uint64_t NextGather();
  void PlanGathers(Job& job);
  bool IsOpened(const Job& job, const std::string& executor) const;
  void AskForGathers(Job& job);
  rpc::Gather GatherMessage(const Job& job, uint64_t number, const PendingGather& gather) const;

  uint64_t next_gather_ = 1;
  uint64_t next_merge_ = 1;
};

}  // namespace dl::master

// Rounds with more contributions than the master can stage (docs/adr/0002-merge-on-arrival.md).
// Executors keep what they announced. When all units are announced, the grid is known. The master
// then requests contributions from a few executors at a time and adds each on arrival, so it never
// holds more than those. Several contributions of one executor may travel as their sum.
#pragma once

#include <string>
#include <vector>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Gathering : public Component {
 public:
  using Component::Component;

  // Starts requesting the contributions of a round, or its merge if all of them are added already.
  // Leaves the round open if contributions have to be computed again. REQUIRES: all units are
  // settled.
  void BeginGather(Job& job);
  // Cancels all requests. A contribution in flight may or may not have been added, so the sum is
  // discarded if any request was in flight.
  void CancelGathers(Job& job);
  // Returns the requests to the executor: all of them if `again`, otherwise those that it has not
  // received yet.
  std::vector<rpc::Gather> GathersFor(Session& session, bool again);
  // Marks the contributions as staged, or requests the contributions of an opened sum. Then
  // requests the next ones, or starts the merge after the last. Ignores cancelled requests.
  void On(const Gathered& event);
  // Withdraws the results and counts the failure against the sender. Ignores cancelled requests.
  void On(const GatherRefused& event);
  // Quarantines the sender of the sum and reopens the round.
  void On(const SumContradicted& event);
  // Returns an error if an invariant of the job's gather is violated.
  Status CheckGathers(const Job& job) const;

 private:
  bool GathersOn(const Job& job, const averaging::GridExponents& grid) const;
  bool RestartGather(Job& job, averaging::GridExponents grid);
  uint64_t NextGather();
  void PlanGathers(Job& job);
  bool IsOpened(const Job& job, const std::string& executor) const;
  void AskForGathers(Job& job);
  rpc::Gather GatherMessage(const Job& job, uint64_t number, const PendingGather& gather) const;

  uint64_t next_gather_ = 1;
};

}  // namespace dl::master

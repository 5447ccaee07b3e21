// Rounds of more contributions than the master stages (docs/adr/0002-merge-on-arrival.md).
// Executors keep what they announced. When all of the round is, its grid is known: the master asks
// for the contributions, of few executors at a time, and adds each when it is there, so that it
// never has more than those few. What one executor computed may travel as one sum.
#pragma once

#include <string>
#include <vector>

#include "master/core/machine/room.h"

namespace dl::master {

class Gathering : public Room {
 public:
  using Room::Room;

  void BeginGather(Job& job);
  // What was on its way may be added or not: then nobody knows what the sum holds.
  void CancelGathers(Job& job);
  // What the executor is asked for: all of it, or what it was not told of yet.
  std::vector<rpc::Gather> GathersFor(Session& session, bool again);
  void On(const Gathered& event);
  void On(const GatherRefused& event);
  void On(const SumContradicted& event);
  Status CheckGathers(const Job& job) const;

 private:
  bool GathersOn(const Job& job, const averaging::GridExponents& grid) const;
  bool GatherAnew(Job& job, averaging::GridExponents grid);
  uint64_t NextGather();
  void PlanGathers(Job& job);
  bool IsOpened(const Job& job, const std::string& executor) const;
  void AskForGathers(Job& job);
  rpc::Gather GatherMessage(const Job& job, uint64_t number, const PendingGather& gather) const;

  uint64_t next_gather_ = 1;
};

}  // namespace dl::master

// Answers requests of executors for work. A request is parked, which means that it waits until
// there is work or its deadline passes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "master/core/leasing/placement.h"
#include "master/core/machine/gathering.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/upkeep.h"

namespace dl::master {

class Leasing : public Component {
 public:
  struct Uses {
    Gathering& gathering;
    Upkeep& upkeep;
  };
  Leasing(Context& context, const Uses& uses)
      : Component(context), uses_(uses), placement_(context, uses.upkeep) {}

  // Parks the request until the session gets units or gather requests, or the request's deadline
  // passes. An earlier parked request of the session is answered without units. Answers Aborted if
  // the session is over.
  void On(const Asked<rpc::LeaseRequest>& event);
  // Raises the number of slots for which the session's parked request waits. Never lowers it. Does
  // nothing if the session has no parked request. Without this, a second free slot would begin its
  // unit one message later.
  void AskForMore(uint64_t session, int32_t free_slots);
  // Answers the session's parked request with Aborted, if it has one. Must be called when the
  // session ends, before Fleet::Remove().
  void EndRequest(const Session& session);
  // Leases units to parked requests, answers requests of sessions that have new gather requests,
  // and answers the others without units when their deadline has passed. Must be called at the end
  // of a step.
  void ServeParked();
  // Returns when the first parked request must be answered; Instant::Max() if none is parked.
  Instant FirstDue() const;
  // Return Internal if an invariant is violated: a parked request could be served, or leased units
  // exceed an executor's memory.
  Status CheckParked() const;
  Status CheckMemory() const;

 private:
  uint64_t Unpark(uint64_t number);
  void AnswerLease(uint64_t token, rpc::LeaseReply reply);
  void ReportGathers();
  // Finds the parked requests that may be affected by changes of this step.
  void TakeChanges();
  void UpdateReservation(uint64_t session);
  std::vector<rpc::Lease> LeasesFor(const Session& session, int32_t slots);
  rpc::Lease Grant(const Session& session, const Placement::Work& work);

  const Uses uses_;
  const Placement placement_;
  uint64_t next_lease_ = 1;
  uint64_t next_parked_ = 1;
  std::map<uint64_t, ParkedLease> parked_;  // by arrival
  std::set<std::pair<Instant, uint64_t>> due_;
  std::set<uint64_t> ask_again_;  // to retry: new ones, and those whose session has gained capacity
  std::set<uint64_t> held_back_;  // those that waited for memory when they were last tried
};

}  // namespace dl::master

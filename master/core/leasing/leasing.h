// Requests for work that wait, and what they are given.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "master/core/leasing/placement.h"
#include "master/core/machine/room.h"

namespace dl::master {

class Leasing : public Room {
 public:
  explicit Leasing(Machine& machine) : Room(machine), placement_(machine) {}

  void On(const Asked<rpc::LeaseRequest>& event);
  // More slots wait for work than when the request was sent. Answered for one of two, the second
  // slot would begin its part of the round a message later.
  void AskForMore(uint64_t session, int32_t free_slots);
  // The session is over: a request of it is answered so.
  void EndRequest(const Session& session);
  // Gives out what there is to those who wait, at the end of a step.
  void ServeParked();
  Instant FirstDue() const;
  Status CheckParked() const;
  Status CheckMemory() const;

 private:
  uint64_t Unpark(uint64_t number);
  void AnswerLease(uint64_t token, rpc::LeaseReply reply);
  void TellOfGathers();
  // What has changed for those who wait.
  void TakeChanges();
  void NoteRoom(uint64_t session);
  std::vector<rpc::Lease> LeasesFor(const Session& session, int32_t slots);
  rpc::Lease Grant(const Session& session, const Placement::Work& work);

  const Placement placement_;
  uint64_t next_lease_ = 1;
  uint64_t next_parked_ = 1;
  std::map<uint64_t, ParkedLease> parked_;  // in the order in which they came
  std::set<std::pair<Instant, uint64_t>> due_;
  std::set<uint64_t> ask_again_;  // of those: fresh ones, and such whose session has more room
  std::set<uint64_t> held_back_;  // of those: they waited for room when they were asked last
};

}  // namespace dl::master

// Answers the master's requests for results of gathered rounds. The executor keeps these results
// after their announcement. When all results of the round are announced, the master sends gathers:
// requests for the results, as sums or one by one (docs/protocol.md).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "executor/core/core_component.h"

namespace dl::executor {

class Gathering : public Component {
 public:
  using Component::Component;

  // Accepts a gather, which the master may repeat. Keeps it for AcceptEarly() if one of its results
  // is still being announced. Ignores it if the master has already received the results for this
  // gather, or if this executor does not hold one of them. The next heartbeat shows the master what
  // is missing.
  void Accept(const rpc::Gather& gather);
  // Calls Accept() again for the gathers that Accept() has kept.
  void AcceptEarly();
  // Handles the answer to a gather that was sent. Every receipt ends the gather. If the master has
  // not received all bytes, its answer to a heartbeat repeats the gather. After an error, schedules
  // another attempt. If the master has refused the bytes for good (Call::IsRefusedForGood), drops
  // all results of the gather instead.
  void On(const GatherSent& event);
  // Forgets gathers that lost one of their results. Must be called after every event.
  void ForgetIncomplete();
  // Forgets all gathers. Must be called when the session ends.
  void LeaveSession();
  // Sends the gathers that are due.
  void SendDue();
  // Returns when the next gather is due; Instant::Max() if none is.
  Instant NextDue() const;

 private:
  // A gather that the master waits for.
  struct Wanted {
    rpc::Gather gather;
    std::vector<uint64_t> computations;  // leases of its inputs, in their order
    Call call;
  };
  bool IsComplete(const Wanted& wanted);
  void HandleSendFailure(Wanted& wanted, const Status& why);

  std::map<uint64_t, Wanted> wanted_;      // of this session, by gather number
  std::map<uint64_t, rpc::Gather> early_;  // arrived before the answer to an announcement
};

}  // namespace dl::executor

// Results of a round that is gathered: they stay here, announced, until all of the round are; then
// the master says what it wants of them, as a sum or one by one (docs/protocol.md).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "executor/core/room.h"

namespace dl::executor {

class Gathering : public Room {
 public:
  using Room::Room;

  // The same gather may be asked for again and again. What is not all here any more is not taken:
  // the next heartbeat shows what is missing.
  void Take(const rpc::Gather& gather);
  // What overtook the answer to an announcement, which is there now.
  void TakeEarly();
  void On(const GatherSent& event);
  // Those of whose results one was dropped; to be said behind every event.
  void ForgetIncomplete();
  void LeaveSession();
  void SendDue();
  Instant NextDue() const;

 private:
  // What the master wants to have now of what is held here.
  struct Wanted {
    rpc::Gather gather;
    std::vector<uint64_t> computations;  // of its inputs, in their order
    Call call;
  };
  Work* Find(const rpc::Gather& gather, const rpc::GatherInput& input);
  bool IsComplete(const Wanted& wanted);
  void NotTaken(Wanted& wanted, const Status& why);

  std::map<uint64_t, Wanted> wanted_;      // of this session, by their numbers
  std::map<uint64_t, rpc::Gather> early_;  // that overtook the answer to an announcement
};

}  // namespace dl::executor

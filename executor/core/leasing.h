// Asks the master for work if slots are free, and accepts leases.
#pragma once

#include "executor/core/gathering.h"
#include "executor/core/room.h"
#include "executor/core/slots.h"

namespace dl::executor {

class Leasing : public Room {
 public:
  Leasing(Ground& ground, const Slots& slots, Gathering& gathering)
      : Room(ground), slots_(slots), gathering_(gathering) {}

  void BeginSession();
  void LeaveSession() { call_.asked = false; }
  void On(const LeaseAnswered& event);
  // Sends a lease request if slots are free and the last request was answered.
  void AskIfDue();
  Instant NextDue() const { return slots_.ToAskFor() > 0 ? call_.NextDue() : Instant::Max(); }

 private:
  void Take(const rpc::Lease& lease);
  void DropOtherSpecs(const rpc::Lease& lease);

  const Slots& slots_;
  Gathering& gathering_;
  Call call_;
};

}  // namespace dl::executor

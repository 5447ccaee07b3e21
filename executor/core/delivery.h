// The way of a result to the master, from its announcement to the master's receipt for its bytes;
// and the way of a failure.
#pragma once

#include "executor/core/gathering.h"
#include "executor/core/room.h"
#include "executor/core/slots.h"

namespace dl::executor {

class Delivery : public Room {
 public:
  Delivery(Ground& ground, const Slots& slots, Gathering& gathering)
      : Room(ground), slots_(slots), gathering_(gathering) {}

  // The next message about it, if there is one.
  void Send(const UnitId& unit, Work& work);
  void On(const AnnounceAnswered& event);
  void On(const ContributionSent& event);
  void On(const FailureReported& event);

 private:
  void NotTaken(Work& work, const ContributionSent& event);

  const Slots& slots_;
  Gathering& gathering_;
};

}  // namespace dl::executor

// Units begin, each in a slot whose thread has nothing else to do, and their computation ends: with
// a result, with a failure, or to be tried again.
#pragma once

#include <cstdint>

#include "executor/core/room.h"
#include "executor/core/slots.h"

namespace dl::executor {

class Computing : public Room {
 public:
  Computing(Ground& ground, Slots& slots) : Room(ground), slots_(slots) {}

  // One that waits, where a slot is free.
  void Begin(Work& work);
  void On(const UnitFinished& event);
  void On(const UnitFailed& event);

 private:
  void TryAgain(Work& work, const UnitFailed& event);
  int64_t& CountOf(Fetched fetched);  // of retries
  void TellOfFetching(const UnitFailed& event);

  Slots& slots_;
  int64_t fetch_failures_ = 0;  // of units that were tried again, until there were none for a while
  Instant fetch_failed_at_, fetch_warn_at_;
  Duration fetch_warn_pause_{};
};

}  // namespace dl::executor

// What nobody can serve: a job without executors waits for some; a unit that everybody failed at,
// or that two computed differently, waits for another executor, and not for ever.
#pragma once

#include "master/core/machine/room.h"

namespace dl::master {

class Waiting : public Room {
 public:
  using Room::Room;

  // It has units for nobody who is there.
  bool LacksExecutors(const Job& job) const;
  void UpdateWaiting(Job& job);
  // The job says that it waits, and for whom; a warning says what nobody mends by waiting.
  void WaitFor(Job& job, JobState state, const Lack& lack);

 private:
  bool LacksDeciders(const Job& job) const;
  bool IsHeldOff(const Job& job) const;
  Lack WhyItWaits(const Job& job) const;
  void FailUndecided(Job& job);
  void FailUncomputable(Job& job);
};

}  // namespace dl::master

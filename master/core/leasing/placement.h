// Which unit an executor is given. Placement is a preference, never a condition: any executor may
// compute any unit that its memory holds (fleet/offers.h). Questions only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "master/core/machine/room.h"

namespace dl::master {

class Placement : public Room {
 public:
  using Room::Room;

  struct Work {
    const Job* job = nullptr;
    const Unit* unit = nullptr;
    bool second = false;     // somebody computes it already
    bool held_back = false;  // there is none until there is room for another job's unit
  };
  // What the executor is given next: of the jobs with the highest priority one that nobody
  // computes; else of the owner with the fewest units under way the job with the fewest. A second
  // lease only where there is nothing else. Units that leave no room for one another take turns: of
  // the jobs that nobody computes the one that was leased longest ago is first, and where it does
  // not fit yet, nothing else is begun until it does. Without, small units would for ever take what
  // a large one waits for.
  Work FindWork(const Session& session) const;
  bool IsServed(const Session& session) const;

 private:
  std::vector<const Job*> Order() const;
  bool TakesNoMore(const Session& session, const Job& job) const;
  int64_t RoomOf(const Session& session) const;
  bool IsFor(const Session& session, const Job& job, const Unit& unit) const;
  bool OthersAreAskedFirst(const Job& job, const Unit& unit, const std::string& executor) const;
  const Unit* FirstFor(const Session& session, const Job& job) const;
  const Unit* FirstStraggler(const Session& session, const Job& job) const;
};

}  // namespace dl::master

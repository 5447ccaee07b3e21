// What a step brings up to date: what its event touched, and what is due. Nothing here looks at all
// jobs, all units or all executors, unless who is there has changed; CheckUpkeep() says what would
// have been overlooked.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "master/core/machine/room.h"

namespace dl::master {

class Upkeep : public Room {
 public:
  using Room::Room;

  // Executors came, went, or are trusted otherwise: jobs may find or lose who computes for them.
  void TouchWhoIsThere();
  // Whether an executor is asked last has changed: so has who is asked before it.
  void TouchStandings();
  // The job's board and its place on the work list.
  void RefreshUnits(Job& job);
  // When time alone changes something of the job.
  void NoteDue(Job& job);
  // A unit's only lease takes so much longer than others that it is leased a second time.
  Duration StragglingAfter(const Job& job) const;
  // Units to whom something happens now.
  void TakeWhatIsDue();
  // What follows from what was touched, until nothing does.
  void Settle();
  Instant FirstDue() const;
  Status CheckUpkeep() const;

 private:
  Board::Entry EntryOf(const Job& job, const Unit& unit) const;
  void NoteWork(Job& job);
  Instant DueOf(const Job& job) const;
  void ExpireUnits(Job& job);
  void ExpireLeases(Job& job, Unit& unit);
  void SettleJob(Job& job);

  std::set<std::pair<Instant, std::string>> due_;
};

}  // namespace dl::master

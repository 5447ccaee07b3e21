// Jobs that wait to start, oldest first.
#pragma once

#include <string>
#include <vector>

#include "master/core/machine/room.h"

namespace dl::master {

class Queue : public Room {
 public:
  using Room::Room;

  void Add(const Job& job);
  void Remove(const Job& job);
  size_t size() const { return waiting_.size(); }
  // Those that may. One that the master could not hold alone never will: it is REJECTED if nothing
  // of it was computed, and waits for a master with more memory else.
  void StartQueuedJobs();
  // InvalidArgument when the job alone needs more than the master's memory.
  Status FitsAlone(const JobDefinition& definition) const;

  // Jobs may start, or have another reason not to.
  bool changed = false;
  Instant due = Instant::Max();  // when they may, whatever happens

 private:
  std::vector<std::string> waiting_;
};

}  // namespace dl::master

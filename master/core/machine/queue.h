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
  void StartQueuedJobs();

  // Jobs may start, or have another reason not to.
  bool changed = false;
  Instant due = Instant::Max();  // when they may, whatever happens

 private:
  std::vector<std::string> waiting_;
};

}  // namespace dl::master

// Jobs that wait to start.
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
  // Those that may, in their order: by priority, within one first those of whom fewest run (an
  // owner's), then the oldest. One that the master could not hold alone never will: it is REJECTED
  // if nothing of it was computed, and waits for a master with more memory else.
  void StartQueuedJobs();
  // A job that begins after this one; empty: none.
  std::string WaitsFor(const std::string& job) const;
  // The job has SUCCEEDED: those that begin after it need not wait for it any more.
  void PredecessorSucceeded(const std::string& job);
  // Where a queued job stands: {"position":3,"ahead":[…]}, of which at most ten are named.
  Json PlaceOf(const Job& job) const;
  // InvalidArgument when the job alone needs more than the master's memory.
  Status FitsAlone(const JobDefinition& definition) const;

  // Jobs may start, or have another reason not to.
  bool changed = false;
  Instant due = Instant::Max();  // when they may, whatever happens

 private:
  std::vector<std::string> Order() const;
  Lack WhyNotYet(const Job& job) const;

  std::vector<std::string> waiting_;  // as they came
};

}  // namespace dl::master

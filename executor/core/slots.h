// The executor's slots: what the thread of each is at, and for how many more units there is room.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "executor/core/room.h"

namespace dl::executor {

class Slots : public Room {
 public:
  explicit Slots(Ground& ground);

  // A free slot, if there is one: that which has read the unit ahead, else one that has read
  // nothing ahead, else any. Slots that end in another order than they began would otherwise each
  // throw away what it read for the other.
  std::optional<size_t> For(const UnitId& unit) const;
  bool AnyFree() const;
  // How many units the master may be asked for: those slots that no thread is in and no unit here
  // waits for. 0 while nothing is begun, or results do not get away.
  int32_t ToAskFor() const;

  void Begin(size_t slot, const rpc::Lease& lease);
  void ThreadIsBack(uint64_t lease);

 private:
  // What each slot's thread is busy with, by the lease that names the computation; 0: nothing. A
  // thread that hangs keeps its slot although its unit was aborted.
  std::vector<uint64_t> threads_;
  // What each slot was told to read ahead: it has the first batches of that unit.
  std::vector<std::optional<UnitId>> hinted_;
};

}  // namespace dl::executor

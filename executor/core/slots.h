// The executor's slots: what the thread of each is at, and for how many more units there is room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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
  // Looked at once in a while: a thread that is in a kernel long after its unit was given up does
  // not come back. Nobody else would notice, for the master has no lease of it any more. Then no
  // more work is asked for, and the process starts anew: when nothing else is under way, or after
  // as long again.
  void FindLostThreads();

 private:
  // What a slot's thread is busy with. One that hangs keeps its slot although its unit was aborted.
  struct Busy {
    uint64_t lease = 0;  // that names the computation; 0: nothing
    UnitId unit;
    std::optional<Instant> given_up;  // when its unit was first seen to be unwanted
    bool told = false;
  };
  std::vector<Busy> threads_;
  std::optional<std::string> lost_;  // why the process has to start anew
  Instant lost_since_;
  bool told_ = false;  // that it has to
  // What each slot was told to read ahead: it has the first batches of that unit.
  std::vector<std::optional<UnitId>> hinted_;
};

}  // namespace dl::executor

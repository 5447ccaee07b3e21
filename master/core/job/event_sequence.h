// Numbers of a job's events. Stored events outlive the master that reported them.
#pragma once

#include <cstdint>

namespace dl::master {

// Events of a job have sequence numbers 1, 2, 3, ... in the order in which they are reported. They
// are stored in two groups (docs/formats.md): each RoundEvent under its sequence number, and all
// other events under numbers of their own (1, 2, 3, ...). The oldest events of each group are
// deleted, so a RoundEvent never displaces another event.
struct EventSequence {
  int64_t last = 0;    // last sequence number
  int64_t others = 0;  // number of the last event that is no RoundEvent

  bool operator==(const EventSequence&) const = default;
};

}  // namespace dl::master

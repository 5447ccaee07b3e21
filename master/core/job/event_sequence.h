// Numbers of a job's events. Stored events outlive the master that reported them.
#pragma once

#include <cstdint>

namespace dl::master {

// Events of a job have sequence numbers 1, 2, 3, ... in the order in which they are reported. They
// are stored in two groups (docs/formats.md): the last events of rounds by sequence number, and the
// last other events with numbers of their own. Events of rounds therefore never displace others.
struct EventSequence {
  int64_t last = 0;    // last sequence number
  int64_t others = 0;  // number of events that are not of rounds

  bool operator==(const EventSequence&) const = default;
};

}  // namespace dl::master

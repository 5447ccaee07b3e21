// The times of a unit's computation, as far as the master accepts them.
#pragma once

#include "base/clock.h"
#include "rpc/messages.h"

namespace dl::master {

struct UnitTimes {
  Duration in_slot{};  // the unit in the executor's slot. The other times are shares of it
  Duration computing{};
  Duration data_wait{};
  Duration state_wait{};

  bool operator==(const UnitTimes&) const = default;
};

// Returns the announced times, limited to possible values. Negative times become 0. `measured` is
// the time from the lease to the announcement by the master's clock: the unit takes at most this
// time, and its shares together at most the time of the unit. If the announced shares are longer
// together, the wait for states is kept first, then the wait for data, then computing. If the
// executor measured no time, the unit takes `measured`.
UnitTimes AcceptedTimes(const rpc::AnnounceRequest& said, Duration measured);

}  // namespace dl::master

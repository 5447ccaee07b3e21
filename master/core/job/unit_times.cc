#include "master/core/job/unit_times.h"

#include <algorithm>

namespace dl::master {

UnitTimes AcceptedTimes(const rpc::AnnounceRequest& said, Duration measured) {
  static constexpr Duration kMicrosecond = std::chrono::microseconds(1);
  measured = std::max(measured, Duration{});
  // Compares numbers of microseconds, because the announced ones may be too large for a Duration.
  const auto cut = [](int64_t said_us, Duration limit) {
    return std::clamp<int64_t>(said_us, 0, limit / kMicrosecond) * kMicrosecond;
  };
  UnitTimes times;
  times.in_slot = said.unit_us > 0 ? cut(said.unit_us, measured) : measured;
  Duration left = times.in_slot;
  times.state_wait = cut(said.state_wait_us, left);
  left -= times.state_wait;
  times.data_wait = cut(said.data_wait_us, left);
  left -= times.data_wait;
  times.computing = cut(said.computing_us, left);
  return times;
}

}  // namespace dl::master

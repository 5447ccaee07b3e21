// What there is to be leased, over all jobs, and what has changed for those who wait for it. The
// jobs write it, leasing reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"

namespace dl::master {

struct WorkList {
  std::set<std::pair<size_t, std::string>>
      open;  // jobs with open units, by the leases that they have
  std::set<std::pair<Instant, std::string>> straggling;  // when a unit may be leased a second time
  std::set<std::string> leased;                          // jobs of which somebody has leases
  bool changed = false;                                  // an executor that waits may find work
  bool made_room = false;      // the job for which somebody keeps room may be another one now
  std::set<uint64_t> freed;    // sessions that lost a lease
  std::set<uint64_t> to_tell;  // sessions, of what is gathered of them
};

}  // namespace dl::master

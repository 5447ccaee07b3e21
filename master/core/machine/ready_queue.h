// The jobs with units that may be leased, and what has changed for executors that wait for work.
// The parts of the machine write it, leasing reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"

namespace dl::master {

struct ReadyQueue {
  // Jobs with open units, ordered by their number of live leases.
  std::set<std::pair<size_t, std::string>> open;
  // Times at which a unit of the job may be leased a second time.
  std::set<std::pair<Instant, std::string>> straggling;
  std::set<std::string> leased;  // jobs with leases
  bool changed = false;          // a waiting executor may find work
  bool made_room = false;        // requests that wait for an executor's memory are tried again
  std::set<uint64_t> freed;      // sessions that lost a lease
  std::set<uint64_t> to_tell;    // sessions that have new gather requests
};

}  // namespace dl::master

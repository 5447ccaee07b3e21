// What shows that an executor was leased a unit: a number that goes out with the lease and comes
// back with the result, and that nobody makes who does not know the master's secret. Nothing has to
// be remembered for it, so a result is as good behind a restart of the master, or of its round, as
// before.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "master/core/job/job.h"

namespace dl::master {

struct Granted {
  std::string_view executor;  // by its name: its sessions come and go
  const UnitId& unit;
  std::string_view base_sha256;  // of the state that the unit starts from
  uint64_t lease = 0;
};

// Of a lease under the job's spec and present kernel contract. The first 64 bits of an HMAC.
uint64_t TicketFor(uint64_t secret, const Job& job, const Granted& granted);

}  // namespace dl::master

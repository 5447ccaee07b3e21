// Proof that a unit was leased to an executor: a number that is sent with the lease and returned
// with the result. It can be computed only with the secret of the master's data folder. The master
// stores nothing about a ticket. So a result remains valid if the master restarts, or if the
// unit's round is opened again from the state of the same name.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "master/core/job/job.h"

namespace dl::master {

struct Granted {
  std::string_view executor;  // its name, because sessions change
  const UnitId& unit;
  std::string_view base_sha256;  // of the state from which the unit starts
  uint64_t lease = 0;            // number of the lease
};

// Returns the first 64 bits of an HMAC over `granted`, the job's spec and its current kernel
// contract, with `secret` as the key.
uint64_t TicketFor(uint64_t secret, const Job& job, const Granted& granted);

}  // namespace dl::master

// How an executor introduces itself.
#pragma once

#include <string>

#include "base/status.h"
#include "executor/core/core.h"

namespace dl::launch {

struct ExecutorIdentity {
  std::string name;  // empty: host and process id
  std::string isa;   // empty: the best of the machine
  int32_t slots = 1;
};

// How an executor shares its --memory out.
struct MemoryShares {
  int64_t units = 0;    // of all that it computes at once; the master leases them by that
  int64_t results = 0;  // on their way to the master, or kept for one that is started again
  int64_t states = 0;   // that units start from, fetched before
  int64_t blocks = 0;   // decoded
};
MemoryShares ShareOut(int64_t memory_bytes);

// Fixes the process's instruction set.
StatusOr<executor::CoreOptions> IntroduceExecutor(const ExecutorIdentity& identity);

}  // namespace dl::launch

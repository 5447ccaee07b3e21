// Options with which an executor introduces itself to the master.
#pragma once

#include <string>

#include "base/status.h"
#include "executor/core/executor_core.h"

namespace dl::launch {

struct ExecutorIdentity {
  std::string name;   // empty: host and process id
  std::string isa;    // instruction set of the kernels; empty: the best of the machine
  int32_t slots = 1;  // units that it computes at a time
};

// Shares into which an executor divides its --memory, in bytes.
struct MemoryShares {
  int64_t units = 0;  // for all units that run at once; the master leases units by it
  // Half for results that are being sent, or kept for a master that restarts; half for results that
  // are held until the master gathers them.
  int64_t results = 0;
  int64_t states = 0;  // for cached parts of states from which units start
  int64_t blocks = 0;  // for cached decoded blocks
};
// Divides `memory_bytes` into shares. Their sum is `memory_bytes`.
MemoryShares DivideMemory(int64_t memory_bytes);

// Returns the options of an executor's core, with the name, the slots, the host, the process id,
// the version and the kernel contracts. The incarnation is the present time in ms, so a process
// that starts later has a higher one. Calls FixIsa, which decides the kernels of the whole process.
// Other options have their defaults. Errors are those of FixIsa.
StatusOr<executor::CoreOptions> MakeExecutorOptions(const ExecutorIdentity& identity);

}  // namespace dl::launch

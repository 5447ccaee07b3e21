// How much memory this process may use.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace dl {

struct AvailableMemory {
  int64_t bytes = 0;  // at least 1 MiB
  // The limit that allows less than the machine's memory, such as "the memory limit of 500 MiB
  // (FILE), of which other processes use 12 MiB". Empty if no limit does.
  std::string limit;
};

// Returns the minimum of: the machine's memory; each memory limit of the control groups of this
// process, less what other processes in that group use; the address space that `ulimit -v` leaves;
// the data size that `ulimit -d` leaves. `root`: see base/control_groups.h. Thread-safe.
AvailableMemory FindAvailableMemory(const std::string& root = "");
int64_t AvailableMemoryBytes();  // FindAvailableMemory().bytes

// Returns the limit at which the kernel slows this process down now, and how much of it is used.
// Empty if there is none. Only memory.high of version 2 is such a limit: processes that reach it
// are not killed, but become very slow. `root`: as above. Thread-safe.
std::string FindThrottlingLimit(const std::string& root = "");

// Returns ResourceExhausted if `ulimit -v` leaves too little address space for the threads of a
// computing process, because libraries would then fail without an error. Under such a limit, also
// makes the heap use less address space. Must be called before threads are started.
Status PrepareForAddressSpaceLimit();

// Returns the part of `bytes` that remains for data: without 64 MiB for code, stacks of threads,
// and buffers of stores and connections. At least half of `bytes`.
int64_t MemoryForData(int64_t bytes);

}  // namespace dl

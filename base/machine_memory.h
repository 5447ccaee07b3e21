// How much memory this process may use.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace dl {

struct AvailableMemory {
  int64_t bytes = 0;  // at least 1 MiB
  // For messages: the limit that makes `bytes` smaller than the machine's memory, such as "the
  // memory limit of 500 MiB (FILE), of which other processes use 12 MiB". Empty if there is no such
  // limit.
  std::string limit;
};

// Returns the minimum of: the machine's memory; each memory limit of the control groups of this
// process, less what other processes in that group use; the address space that `ulimit -v` leaves;
// the data size that `ulimit -d` leaves. `root`: see base/control_groups.h. Thread-safe.
AvailableMemory FindAvailableMemory(const std::string& root = "");
int64_t AvailableMemoryBytes();  // FindAvailableMemory().bytes

// Returns a text for messages if the kernel slows this process down now because of a memory limit.
// The text names the limit and the used bytes. Returns "" if there is no such limit. Only
// memory.high of control groups of version 2 slows processes down instead of killing them. The
// limit counts as reached when 15/16 of it is used. `root`: as above. Thread-safe.
std::string FindThrottlingLimit(const std::string& root = "");

// Prepares a computing process for a limit of its address space (`ulimit -v`): makes the heap use
// less address space. Does nothing without such a limit. Returns ResourceExhausted if less than 512
// MiB is then left for threads and data, because libraries would fail without an error. Must be
// called before threads are started.
Status PrepareForAddressSpaceLimit();

// Returns the part of `bytes` that remains for data. Leaves out 64 MiB for code, stacks of threads,
// and buffers of stores and connections, but at most half of `bytes`.
int64_t MemoryForData(int64_t bytes);

}  // namespace dl

// How much memory this process may use.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace dl {

struct MachineMemory {
  int64_t bytes = 0;  // at least 1 MiB
  // The limit that allows less than the machine has, as "the memory limit of 500 MiB (FILE), of
  // which other processes use 12 MiB"; empty when only the machine's memory limits the process.
  std::string limit;
};

// The least of: the machine's memory; each memory limit of the control groups of this process, less
// what other processes in that group use; the address space that `ulimit -v` leaves; the data that
// `ulimit -d` leaves. `root`: see base/control_groups.h. Thread-safe.
MachineMemory FindMachineMemory(const std::string& root = "");
int64_t MachineMemoryBytes();

// ResourceExhausted where `ulimit -v` leaves too little for the threads of a process that computes;
// libraries fail without an error then. Also makes the heap take less address space under that
// limit. Call it before threads are started.
Status PrepareForAddressSpaceLimit();

// Returns the part of `bytes` that is left for data beside the program itself: code, stacks of
// threads, buffers of stores and connections. At least half of `bytes`.
int64_t MemoryBesideProgram(int64_t bytes);

}  // namespace dl

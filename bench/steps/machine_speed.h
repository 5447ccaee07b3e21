// Measures the speeds of a machine that bound the time of a training step, in about a second.
#pragma once

#include "nn/kernel_contract.h"

namespace dl::bench {

// Sums over all threads. They are measured by processor time, so other programs lower them only if
// they share a core, its caches or the memory.
struct MachineSpeed {
  double peak = 0;              // float32 operations a second of multiply-adds in registers
  double memory_bandwidth = 0;  // bytes a second of a triad on three arrays of 256 MiB
  double cache_bandwidth = 0;   // bytes a second of a triad on arrays that fill half of an L2 cache
};

// Runs on `threads` new threads, with the vectors of `isa`. REQUIRES: the CPU supports `isa`.
MachineSpeed MeasureMachine(nn::Isa isa, int threads);

// Returns the bytes a second of a triad on arrays that have `bytes` bytes together, but at most
// those of MachineSpeed::memory_bandwidth and at least those of MachineSpeed::cache_bandwidth. Runs
// on `threads` new threads, which divide the arrays.
double MeasureBandwidth(double bytes, int threads);

}  // namespace dl::bench

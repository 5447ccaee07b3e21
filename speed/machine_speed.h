// Measures the speeds of a machine that bound the time of a training step, in about a second.
#pragma once

#include "nn/kernel_contract.h"

namespace dl::speed {

// Sums over all threads. They are measured by processor time, so other programs lower them only if
// they share a core, its caches or the memory.
struct MachineSpeed {
  double peak = 0;  // float32 operations a second of multiply-adds in registers
  // The same with factors in bf16 and sums in float32. 0: `isa` has no instructions for bf16.
  double bf16_peak = 0;
  double memory_bandwidth = 0;  // bytes a second of a triad on three arrays of 256 MiB
  double cache_bandwidth = 0;   // bytes a second of a triad on arrays that fill half of an L2 cache

  double PeakOf(nn::Precision precision) const {
    return precision == nn::Precision::kBf16 ? bf16_peak : peak;
  }
};

// Runs on `threads` new threads, with the instructions of `isa`. REQUIRES: the CPU supports `isa`,
// and nn::DetectBestIsa was called before, which asks for the permission to use AMX.
MachineSpeed MeasureMachine(nn::Isa isa, int threads);

// Returns the bytes a second of a triad on arrays that have `bytes` bytes together, but at most
// those of MachineSpeed::memory_bandwidth and at least those of MachineSpeed::cache_bandwidth. Runs
// on `threads` new threads, which divide the arrays.
double MeasureBandwidth(double bytes, int threads);

}  // namespace dl::speed

// Measures the speeds of a machine that bound the time of a training step, in about a second.
#pragma once

#include "nn/kernel_contract.h"

namespace dl::speed {

// Sums over all threads. Each thread measures with arrays of its own and counts the best of several
// repetitions. Rates are measured by processor time, so other programs lower them only if they
// share a core, its caches or the memory.
struct MachineSpeed {
  double peak = 0;  // float32 operations a second of multiply-adds in registers
  // The same with factors in bf16 and sums in float32. 0: `isa` has no instructions for bf16.
  double bf16_peak = 0;
  // Bytes a second of a triad. The three arrays of each thread have 256 MiB each.
  double memory_bandwidth = 0;
  // Bytes a second of a triad. The three arrays of each thread together fill half of an L2 cache.
  double cache_bandwidth = 0;

  double PeakOf(nn::Precision precision) const {
    return precision == nn::Precision::kBf16 ? bf16_peak : peak;
  }
};

// Runs on `threads` new threads, with the instructions of `isa`. REQUIRES: the CPU supports `isa`,
// and nn::DetectBestIsa was called before, which asks for the permission to use AMX.
MachineSpeed MeasureMachine(nn::Isa isa, int threads);

// Returns the bytes a second of a triad, summed over `threads` new threads. The arrays of all
// threads together have `bytes` bytes. However, the arrays of a thread are never smaller than for
// MachineSpeed::cache_bandwidth, and never larger than for MachineSpeed::memory_bandwidth.
double MeasureBandwidth(double bytes, int threads);

}  // namespace dl::speed

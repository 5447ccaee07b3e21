// The cache sizes from which oneDNN 2.6 derives block sizes. The bits of some kernels depend on
// them, so they are a part of the kernel contract (nn/conf/contract_id.h). oneDNN detects them only
// on Intel's CPUs, with its built-in xbyak, and uses constants on all other CPUs. tests/golden
// compares the sizes that this file computes with the sizes that oneDNN stores in memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace dl::nn {

// Returns eax, ebx, ecx and edx of a leaf and subleaf, or zeros if the CPU lacks the leaf.
using Cpuid = std::function<std::array<uint32_t, 4>(uint32_t leaf, uint32_t subleaf)>;
// Returns a function that executes the instruction CPUID on the CPU of this process.
Cpuid ThisCpuid();

struct OnednnCaches {
  int64_t l1d = 0, l2 = 0, l3 = 0;  // bytes per core; 0 if the cache does not exist
  bool operator==(const OnednnCaches&) const = default;
};
// Returns the sizes that oneDNN uses on a CPU with these answers of CPUID. The constants are also
// the result for an Intel CPU that reports no data cache.
OnednnCaches CachesForOnednn(const Cpuid& cpuid);

}  // namespace dl::nn

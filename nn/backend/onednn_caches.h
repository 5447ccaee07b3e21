// The cache sizes that oneDNN 2.6 uses to choose block sizes. It detects them only for Intel's
// CPUs, with its built-in xbyak, and uses constants for all others. tests/golden compares the
// result with the values in oneDNN's memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace dl::nn {

// Returns eax, ebx, ecx and edx of a leaf and subleaf, or zeros if the CPU lacks the leaf.
using Cpuid = std::function<std::array<uint32_t, 4>(uint32_t leaf, uint32_t subleaf)>;
Cpuid ThisCpuid();

struct OnednnCaches {
  int64_t l1d = 0, l2 = 0, l3 = 0;  // bytes per core; 0 if the cache does not exist
  bool operator==(const OnednnCaches&) const = default;
};
OnednnCaches CachesForOnednn(const Cpuid& cpuid);

}  // namespace dl::nn

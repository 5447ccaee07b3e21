// The sizes of caches by which oneDNN 2.6 blocks. It asks Intel's CPUs only, with the xbyak inside
// it; of any other it knows nothing, and takes constants. tests/golden holds this against what it
// keeps in its memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace dl::nn {

// eax, ebx, ecx and edx of a leaf and its subleaf; zeros where the CPU has no such leaf.
using Cpuid = std::function<std::array<uint32_t, 4>(uint32_t leaf, uint32_t subleaf)>;
Cpuid ThisCpuid();

struct OnednnCaches {
  int64_t l1d = 0, l2 = 0, l3 = 0;  // bytes for each core; 0: there is no such cache
  bool operator==(const OnednnCaches&) const = default;
};
OnednnCaches CachesForOnednn(const Cpuid& cpuid);

}  // namespace dl::nn

// What oneDNN believes of the CPU, changed in the memory of this process: it then chooses kernels
// and blockings as it would on another machine of the same instruction set.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"

namespace dl::test {

struct CacheSizes {
  uint32_t l1d = 0, l2 = 0, l3 = 0;  // bytes for each core; all 0: not known, and it guesses
  bool operator==(const CacheSizes&) const = default;
};

struct OnednnCpu {
  std::optional<CacheSizes> caches;  // absent: as they are
  bool only_the_level = false;       // none of the extensions beyond the process's instruction set
  bool of_another_vendor = false;    // Intel where it is AMD's, and the other way round
  uint32_t cores = 0;                // with two threads each; 0: as it is
};

// FailedPrecondition where its record of the CPU is not found, or is found twice: another oneDNN
// keeps it in another form.
StatusOr<CacheSizes> OnednnCaches();
// Before the first network of the process is made: oneDNN keeps what it generated.
Status SetOnednnCpu(const OnednnCpu& cpu);

}  // namespace dl::test

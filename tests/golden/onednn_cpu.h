// Changes oneDNN's record of the CPU in the memory of this process. oneDNN then chooses kernels and
// blockings as on another machine of the same instruction set.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"

namespace dl::test {

struct CacheSizes {
  uint32_t l1d = 0, l2 = 0, l3 = 0;  // bytes per core; all 0: unknown, oneDNN guesses
  bool operator==(const CacheSizes&) const = default;
};

struct OnednnCpu {
  std::optional<CacheSizes> caches;  // absent: unchanged
  bool only_the_level = false;       // removes the extensions beyond the process's instruction set
  bool of_another_vendor = false;    // swaps Intel and AMD
  uint32_t cores = 0;                // with two threads each; 0: unchanged
};

// Returns the cache sizes that oneDNN assumes. FailedPrecondition if its record of the CPU is not
// found exactly once: another version of oneDNN stores it in another form.
StatusOr<CacheSizes> OnednnCaches();
// Changes the record. Must be called before the first network of the process is created, because
// oneDNN keeps the kernels that it generated.
Status SetOnednnCpu(const OnednnCpu& cpu);

}  // namespace dl::test

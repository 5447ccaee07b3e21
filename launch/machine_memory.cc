#include "launch/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "absl/strings/numbers.h"
#include "base/files.h"

namespace dl::launch {

int64_t MachineMemoryBytes() {
  constexpr int64_t kLeast = 1 << 20;
  constexpr char kContainer[] = "/sys/fs/cgroup/memory.max";  // "max": as much as there is
  int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  int64_t container = 0;
  if (auto text = ReadFile(kContainer, 64); text.ok() && absl::SimpleAtoi(*text, &container)) {
    bytes = std::min(bytes, container);
  }
  return std::max(bytes, kLeast);
}

}  // namespace dl::launch

#include "base/usable_cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/control_groups.h"

namespace dl {
namespace {

// Returns 0 if the system does not report it.
int32_t CoresOfAffinity() {
  constexpr size_t kMaxSets = 64;  // 65,536 processors
  for (size_t sets = 1; sets <= kMaxSets; sets *= 2) {
    std::vector<cpu_set_t> set(sets);
    const size_t bytes = sets * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, set.data()) == 0) return CPU_COUNT_S(bytes, set.data());
    if (errno != EINVAL) break;  // EINVAL: the machine has more processors than the set
  }
  return 0;
}

}  // namespace

UsableCores FindUsableCores(const std::string& root) {
  const auto machine = static_cast<int32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  UsableCores cores{.count = machine};
  if (const int32_t allowed = CoresOfAffinity(); allowed > 0 && allowed < machine) {
    cores = {.count = allowed,
             .limit = absl::StrCat("the CPU affinity of this process, which has ", allowed, " of ",
                                   machine, " processors (taskset, a cpuset)")};
  }
  const auto quota = ReadControlGroups(root).quota;
  if (!quota) return cores;
  const auto rounded_up = static_cast<int32_t>(std::ceil(std::min(quota->processors, 1e6)));
  if (rounded_up < cores.count) {
    cores = {.count = std::max(1, rounded_up),
             .limit = absl::StrFormat("the CPU quota of %g processors (%s)", quota->processors,
                                      quota->file)};
  }
  return cores;
}

}  // namespace dl

#include "base/freed_memory.h"

#include <malloc.h>
#include <sys/resource.h>

namespace dl {
namespace {

constexpr int kArenas = 8;
constexpr int kBytesKept = 8 << 20;  // per arena; two chunks of a transfer

}  // namespace

void BoundFreedMemory() {
  rlimit space{};
  // Under a limit of address space, base/machine_memory.h sets the number: each arena reserves 64
  // MiB.
  if (::getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY)
    ::mallopt(M_ARENA_MAX, kArenas);
  ::mallopt(M_TRIM_THRESHOLD, kBytesKept);
  ::mallopt(M_MMAP_THRESHOLD, kBytesKept);  // larger blocks are mapped outside of arenas
}

}  // namespace dl

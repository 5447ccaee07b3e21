// Bounds the freed memory that the process keeps. glibc has eight arenas per core, and each may
// keep 64 MiB after a large block was freed (mallopt(3), M_MMAP_THRESHOLD). This is far more than
// the memory budgets allow for.
#pragma once

namespace dl {

// Limits freed memory to about 64 MiB from now on: eight arenas of at most 8 MiB. Larger blocks are
// returned to the system immediately. Idempotent, thread-safe.
void BoundFreedMemory();

}  // namespace dl

// What the process keeps of memory that was freed. glibc lets each of eight arenas a core keep 64
// MiB once a large block was freed (mallopt(3), M_MMAP_THRESHOLD): far more than the budgets of
// those who counted what they allocate.
#pragma once

namespace dl {

// From now on at most about 64 MiB, in blocks that are free at an arena's end; larger ones go back
// at once. Idempotent, thread-safe.
void BoundFreedMemory();

}  // namespace dl

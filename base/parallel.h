// Runs a computation on several cores. For bulk work of at least a millisecond: hashing, merging.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace dl {

// Calls work(0) to work(count - 1), each once, in any order, and returns when all calls have
// returned. The calling thread and a pool of threads that all callers share do the work; if no pool
// thread is free, the calling thread does all of it. At most `most_threads` threads work; 0: as
// many as the process has cores, at most 16. `work` must not throw or call InParallel, and may be
// called by several threads at once. Thread-safe.
void InParallel(int64_t count, absl::FunctionRef<void(int64_t)> work, int64_t most_threads = 0);

}  // namespace dl

// One computation on several cores, for bulk work of a millisecond and more: hashing, merging.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace dl {

// Calls work(0) to work(count - 1), each once, in no order, and returns when all have returned. The
// calling thread takes its turns; threads that all callers share take what it does not come to, as
// far as they are free, so it goes on where none is. `work` does not throw, is called by several
// threads at once, and calls no InParallel. Thread-safe.
void InParallel(int64_t count, absl::FunctionRef<void(int64_t)> work);

}  // namespace dl

// Processor time of this process.
#pragma once

#include "base/clock.h"

namespace dl {

// Returns the processor time of this process: user and system time of all its threads, also of
// threads that have ended. Child processes do not count. Thread-safe.
Duration ProcessTime();

}  // namespace dl

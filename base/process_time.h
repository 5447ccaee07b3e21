// Processor time of this process.
#pragma once

#include "base/clock.h"

namespace dl {

// Returns the processor time that all threads of this process have used.
Duration ProcessTime();

}  // namespace dl

// How much memory there is to share out.
#pragma once

#include <cstdint>

namespace dl::launch {

// The machine's, or what the container may take of it. At least 1 MiB, whatever the system says.
int64_t MachineMemoryBytes();

}  // namespace dl::launch

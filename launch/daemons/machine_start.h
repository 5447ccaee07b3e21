// Identifies the current start (boot) of this machine.
#pragma once

#include <string>

namespace dl::launch {

// Returns the kernel's boot id; "" if it cannot be read.
std::string StartOfMachine();

}  // namespace dl::launch

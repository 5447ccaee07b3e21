// What tells this start of this machine from all others.
#pragma once

#include <string>

namespace dl::launch {

// The kernel's id of it; "" where it says none.
std::string StartOfMachine();

}  // namespace dl::launch

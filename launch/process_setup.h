// What a process that computes must have done before its first kernel.
#pragma once

#include <string>

#include "base/status.h"

namespace dl::launch {

// OpenMP threads that spin while they wait cost processes on one machine a factor of ten, and
// libgomp reads its settings once at start: so the process starts itself again with
// OMP_WAIT_POLICY=passive unless the user chose a policy. Returns only when nothing had to be done
// or exec failed. Call it first in main().
void ReexecWithPassiveOpenMp(char** argv);

// Fixes the instruction set that this process computes with ("" for the best of the machine);
// returns the name. The contract goes into `contract`.
StatusOr<std::string> FixIsa(const std::string& isa, std::string& contract);

}  // namespace dl::launch

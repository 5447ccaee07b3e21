// What a process that computes must have done before its first kernel.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dl::launch {

// A process that was started with standard input, output or error closed would get their numbers
// for the first files that it opens, and write its messages into them. Takes the numbers, so that
// reading finds nothing and writing goes on failing. Call it first in main().
void ReserveStandardDescriptors();

// OpenMP threads that spin while they wait cost processes on one machine a factor of ten, and
// libgomp reads its settings once at start: so the process starts itself again with
// OMP_WAIT_POLICY=passive unless the user chose a policy. Returns only when nothing had to be done
// or exec failed. Call it before anything else that costs time.
void ReexecWithPassiveOpenMp(char** argv);

// The command line of this process, its program first.
StatusOr<std::vector<std::string>> OwnWords();

// Puts a new process of the same program, arguments and environment in this one's place, whatever
// its other threads do; its standard output goes nowhere, whoever waited for what it says has heard
// it. Only for the main thread. Returns when that is not possible, with what the system says.
Status StartProcessAnew();

// Fixes the instruction set that this process computes with ("" for the best of the machine);
// returns the name. The contract goes into `contract`.
StatusOr<std::string> FixIsa(const std::string& isa, std::string& contract);

}  // namespace dl::launch

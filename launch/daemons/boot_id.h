// Identifies the current start (boot) of this machine. Files that name a process store it, because
// after a new start the process id in the file may belong to another process.
#pragma once

#include <string>

namespace dl::launch {

// Returns the kernel's boot id, which changes only when the machine starts. Returns "" if the id
// cannot be read. Thread-safe.
std::string MachineBootId();

}  // namespace dl::launch

// Each checkpoint with a record is complete on the disk, unless the schedule damaged it.
#pragma once

#include <string>

#include "tests/sim/disk.h"

namespace dl::sim {

// Returns the first breach; empty if there is none.
std::string CheckStoredCheckpoints(Disk& disk);

}  // namespace dl::sim

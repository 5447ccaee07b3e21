// Each checkpoint that has a record is on the disk, whole, unless the schedule damaged it.
#pragma once

#include <string>

#include "tests/sim/disk.h"

namespace dl::sim {

// The first breach; empty: none.
std::string CheckStoredCheckpoints(Disk& disk);

}  // namespace dl::sim

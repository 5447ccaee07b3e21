// The number of processors that this process may use.
#pragma once

#include <cstdint>
#include <string>

namespace dl {

struct UsableCores {
  int32_t count = 1;
  // The limit that allows fewer processors than the machine has, such as "the CPU quota of 0.5
  // processors (FILE)". Empty if no limit does.
  std::string limit;
};

// Returns the number of processors that the affinity of the process (taskset, cpusets) allows, at
// most the CPU quota of its control groups, rounded up. At least 1. `root`: see
// base/control_groups.h. Thread-safe.
UsableCores FindUsableCores(const std::string& root = "");

}  // namespace dl

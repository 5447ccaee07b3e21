// The number of processors that this process may use.
#pragma once

#include <cstdint>
#include <string>

namespace dl {

struct UsableCores {
  int32_t count = 1;
  // For messages: the limit that makes `count` smaller than the number of processors of the
  // machine, such as "the CPU quota of 0.5 processors (FILE)". Empty if there is no such limit.
  std::string limit;
};

// Returns the number of processors in the CPU affinity of the process (taskset, cpusets). If the
// smallest CPU quota of its control groups is lower, returns this quota, rounded up to whole
// processors. Returns at least 1. A limit that cannot be read does not count. `root`: see
// base/control_groups.h. Thread-safe.
UsableCores FindUsableCores(const std::string& root = "");

}  // namespace dl

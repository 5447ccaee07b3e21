// Limits that control groups of the kernel (cgroup v1 and v2) set for this process. Containers,
// systemd units and batch systems use them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dl {

// A limit on what all processes of a control group use together.
struct GroupLimit {
  std::string file;   // path of the file that holds the limit
  int64_t limit = 0;  // bytes of memory, or number of processes and threads
  // Amount that the whole group uses now. Memory is counted without the page cache. 0 if it cannot
  // be read.
  int64_t used = 0;
};

// Processor time that a control group may use, in processors: 0.5 is half of one processor.
struct GroupCpuQuota {
  std::string file;
  double processors = 0;
};

// Each list has one entry for each limit of its kind, from the group of this process up to the
// root. A group of version 2 may have two limits of memory (memory.max, memory.high). All limits
// apply at the same time.
struct ControlGroupLimits {
  std::vector<GroupLimit> memory;
  std::vector<GroupLimit> processes;
  std::optional<GroupCpuQuota> quota;  // the smallest quota
};

// Returns the limits of the groups that /proc/self/cgroup names and /proc/self/mountinfo makes
// visible. A file that cannot be read sets no limit. `root` is put before every path that is read
// (tests give a folder with files of their own). Thread-safe.
ControlGroupLimits ReadControlGroups(const std::string& root = "");

// Returns the file in which the kernel counts the processes of this process's group that it killed
// for lack of memory. Empty if there is none.
std::string FindMemoryKillCounter(const std::string& root = "");
// Returns the count in the file of FindMemoryKillCounter, or 0 if it cannot be read.
int64_t CountMemoryKills(const std::string& counter);

}  // namespace dl

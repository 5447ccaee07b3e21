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
  // be read or the group is not visible.
  int64_t used = 0;
};

// Processor time that a control group may use, in processors: 0.5 is half of one processor.
struct GroupCpuQuota {
  std::string file;  // path of the file that holds the quota
  double processors = 0;
};

// Each list has one entry for each limit of its kind, from the group of this process up to the root
// that is visible. In version 1, the smallest limit of memory of the groups above follows if it is
// lower. A group of version 2 may have two limits of memory (memory.max, memory.high). All limits
// apply at the same time.
struct ControlGroupLimits {
  std::vector<GroupLimit> memory;
  std::vector<GroupLimit> processes;
  std::optional<GroupCpuQuota> quota;  // the smallest quota; nullopt: none is set
};

// Returns the limits of the control groups of this process. /proc/self/cgroup names the groups, and
// /proc/self/mountinfo has their folders. A file that cannot be read sets no limit. `root` is put
// before every path, also in the result, so that tests can use a folder with files of their own.
// Thread-safe, like all functions of this header.
ControlGroupLimits ReadControlGroups(const std::string& root = "");

// Returns the path of the file in which the kernel counts memory kills in the group of this
// process. A memory kill is the end of a process for lack of memory. Returns "" if no such file can
// be read. `root` is as above.
std::string FindMemoryKillCounter(const std::string& root = "");
// Returns the number of memory kills in `counter`, a path from FindMemoryKillCounter. Returns 0 if
// the file cannot be read.
int64_t CountMemoryKills(const std::string& counter);

}  // namespace dl

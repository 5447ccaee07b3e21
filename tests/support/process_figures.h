// What the system says of a process: its memory, threads, processor time and connections.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace dl::test {

// A line of /proc/PID/status, as "VmRSS" or "VmHWM" (in bytes) or "Threads"; -1 when there is none.
int64_t ProcessStatus(pid_t process, const std::string& line);
// Since its start, of all its threads, in user and kernel.
double ProcessCpuSeconds(pid_t process);
// Its established TCP connections with this port at either end.
int ConnectionsOf(pid_t process, int port);

}  // namespace dl::test

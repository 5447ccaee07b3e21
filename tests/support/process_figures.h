// Reads what the system reports about a process: memory, threads, processor time and connections.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace dl::test {

// Returns a value of /proc/PID/status: "VmRSS" or "VmHWM" in bytes, or "Threads". Returns -1 if the
// process or the line does not exist.
int64_t ProcessStatus(pid_t process, const std::string& line);
// Returns the processor time in user and kernel mode of all threads of the process since its start,
// in seconds.
double ProcessCpuSeconds(pid_t process);
// Returns the number of established TCP connections of the process that have this port at either
// end.
int ConnectionsOf(pid_t process, int port);

}  // namespace dl::test

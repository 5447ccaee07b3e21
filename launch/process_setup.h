// Prepares a process for computation. Must be used before its first kernel runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "rpc/messages.h"

namespace dl::launch {

// Opens /dev/null read-only for each of standard input, output and error that is closed. Otherwise
// the first files that the process opens would get these numbers, and messages would be written
// into them. Reading then finds nothing, and writing still fails. Must be called first in main().
void ReserveStandardDescriptors();

// Executes the process again with OMP_WAIT_POLICY=passive, unless the user has set this variable.
// OpenMP threads that spin while they wait slow down several processes on one machine by a factor
// of ten, and libgomp reads its settings only at start. Also lets waiting threads look for work for
// about 0.2 ms before they sleep, so that they find the next loop without having slept: sets
// GOMP_SPINCOUNT, unless the user has set it or the process may use only one core. libgomp lowers
// the count while the process has more threads than cores. Returns only if nothing had to be done
// or exec failed. Must be called before anything that takes time.
void ReexecWithPassiveOpenMp(char** argv);

// Returns the variables for each of `processes` child processes that compute on this machine at the
// same time. If they cannot have two threads each without having more threads than cores, their
// threads sleep at once, unless the user has set GOMP_SPINCOUNT.
std::vector<std::string> OpenMpSettingsOf(int64_t processes);

// Returns the command line of this process, including the program. Returns the errors of ReadFile,
// for example without /proc.
StatusOr<std::vector<std::string>> OwnArguments();

// Replaces this process by a new process with the same program, arguments and environment, and ends
// all other threads. Closes all descriptors but the three standard ones. Standard output is
// redirected to /dev/null, because the reader of the ready line has finished. Must be called from
// the main thread. Returns only on failure, with the error of the system.
Status ReexecProcess();

// Sets the instruction set with which this process computes ("" for the best of the machine).
// Returns the kernel contracts under which it then computes: float32, bf16, portable. Returns
// InvalidArgument for an unknown name, and errors of nn::DetectBestIsa and nn::SetProcessIsa.
StatusOr<std::vector<rpc::OfferedContract>> FixIsa(const std::string& isa);

}  // namespace dl::launch

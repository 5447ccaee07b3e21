// The part of starting a process that runs between fork and exec. Only used by base/process.cc.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl::internal {

// Everything that the child needs, prepared before the fork: the child of a process with threads
// must not allocate.
struct ExecPlan {
  std::string program;  // resolved path
  std::vector<std::string> argv;
  std::vector<std::string> env;  // complete
  FileDescriptor in, out, err;   // invalid out or err: inherited
  bool outlives_parent = false;  // SpawnOptions
};

// Forks and executes. Returns when exec has succeeded or failed. The child is killed when the
// *thread* that called ends, unless it outlives its parent. Returns Unavailable if the system
// cannot start more processes, and the system's error if exec failed.
StatusOr<pid_t> ForkAndExec(const ExecPlan& plan);

}  // namespace dl::internal

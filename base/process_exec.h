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
  bool runs_on = false;          // SpawnOptions
};

// Forks and executes. Returns when exec has succeeded or failed. The child dies with the *thread*
// that called, unless it runs on.
StatusOr<pid_t> ForkAndExec(const ExecPlan& plan);

}  // namespace dl::internal

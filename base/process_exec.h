// The part of starting a process that runs between fork and exec. Only used by base/process.cc.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/status.h"

namespace dl::internal {

// Takes the descriptor, and moves it above the three standard ones, because this process may have
// been started with one of them closed. Returns the error of `errno` if `fd` is -1, and errors of
// the system; `what` names the file in them.
StatusOr<FileDescriptor> AboveStandard(int fd, const std::string& what);

// Everything that the child needs. It is prepared before the fork, because the child of a process
// with threads must not allocate.
struct ExecPlan {
  std::string program;            // resolved path
  std::vector<std::string> argv;  // including argv[0]
  std::vector<std::string> env;   // complete
  FileDescriptor in, out, err;    // `in` must be valid; invalid out or err: inherited
  bool outlives_parent = false;   // SpawnOptions
};

// Forks and executes. Returns the child's process id after exec has succeeded. The child is killed
// when the calling *thread* ends, unless plan.outlives_parent is set. Returns Unavailable if the
// system cannot start more processes, and the system's error if the pipe or exec failed. REQUIRES:
// all valid descriptors of the plan are above 2.
StatusOr<pid_t> ForkAndExec(const ExecPlan& plan);

}  // namespace dl::internal

// The interface to child processes: start, watch and signal them, and leave none running except
// daemons.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace dl {

// The destination of a stream of the child.
struct ChildOutput {
  enum class To { kInherit, kDiscard, kFile, kPipe };
  To to = To::kInherit;
  std::string path;  // kFile: created, or appended to

  static ChildOutput Inherit() { return {}; }
  static ChildOutput Discard() { return {.to = To::kDiscard, .path = {}}; }
  static ChildOutput File(std::string path) { return {.to = To::kFile, .path = std::move(path)}; }
  static ChildOutput Pipe() { return {.to = To::kPipe, .path = {}}; }  // standard output only
};

struct SpawnOptions {
  std::vector<std::string> argv;  // not empty; argv[0] without a slash is looked up in PATH
  std::vector<std::string> env;   // "NAME=value"; added to this process's environment, overrides it
  ChildOutput out, err;           // inherited if not set
  std::string in;                 // the whole standard input
  // Makes the child a daemon in a session of its own, which continues after this process ends.
  bool outlives_parent = false;
};

struct ExitStatus {
  int code = 0;    // when signal == 0
  int signal = 0;  // the signal that ended it, 0 for an exit
  bool operator==(const ExitStatus&) const = default;
};
std::string ToString(ExitStatus status);  // "exited with 3", "was killed by signal 9"

// One child. If Wait has not returned its exit status before destruction, the child and its process
// group are killed with SIGKILL and reaped, unless it outlives its parent. Not thread-safe, except
// Signal().
class ChildProcess {
 public:
  virtual ~ChildProcess() = default;
  virtual pid_t pid() const = 0;
  // Sends a signal to the child alone. Returns NotFound after Wait returned the exit status; until
  // then, a signal to an ended child has no effect. Never signals another process, even if the pid
  // was reused.
  virtual Status Signal(int signal) = 0;
  // Waits for the child's end. Returns DeadlineExceeded if it still runs after `timeout`. May be
  // repeated before and after the end.
  virtual StatusOr<ExitStatus> Wait(Duration timeout) = 0;
  // Returns the next line of standard output without its newline, which the last line may lack.
  // Returns OutOfRange at the end of the output, DeadlineExceeded, or ResourceExhausted for a line
  // over `max_bytes`. After an error, the output received so far is kept for the next read.
  // REQUIRES: out = Pipe().
  virtual StatusOr<std::string> ReadLine(Duration timeout, int64_t max_bytes = 1 << 20) = 0;
  // Returns the rest of standard output up to its end. Returns DeadlineExceeded, or
  // ResourceExhausted over `max_bytes`; the output received so far is kept for the next read.
  // REQUIRES: out = Pipe().
  virtual StatusOr<std::string> ReadAll(Duration timeout, int64_t max_bytes) = 0;
};

class Spawner {
 public:
  virtual ~Spawner() = default;
  // Starts a program by exec. The child has only the three standard descriptors, default signal
  // handlers, and a process group of its own (a Ctrl-C at the terminal reaches only this process).
  // It is killed when this process dies in any way, unless it outlives its parent. Returns NotFound
  // if the program does not exist, InvalidArgument for an empty argv or a pipe for `err`, and
  // errors of the system; Unavailable if the system cannot start more processes. Thread-safe.
  virtual StatusOr<std::unique_ptr<ChildProcess>> Start(const SpawnOptions& options) = 0;
  // The spawner of real processes. It is never destroyed.
  static Spawner& Real();
};

}  // namespace dl

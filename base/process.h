// The interface to child processes: start, watch and signal them, and leave none running.
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
  std::string path;  // kFile: created or appended to

  static ChildOutput Inherit() { return {}; }
  static ChildOutput Discard() { return {.to = To::kDiscard, .path = {}}; }
  static ChildOutput File(std::string path) { return {.to = To::kFile, .path = std::move(path)}; }
  static ChildOutput Pipe() { return {.to = To::kPipe, .path = {}}; }  // standard output only
};

struct SpawnOptions {
  std::vector<std::string> argv;  // argv[0] without a slash is searched in PATH
  std::vector<std::string> env;   // "NAME=value", in addition to this process's environment
  ChildOutput out, err;
  std::string in;  // the whole standard input
  // Makes the child a daemon in a session of its own, which continues after this process ends.
  bool runs_on = false;
};

struct ExitStatus {
  int code = 0;    // when signal == 0
  int signal = 0;  // the signal that ended it, 0 for an exit
  bool operator==(const ExitStatus&) const = default;
};
std::string ToString(ExitStatus status);  // "exited with 3", "was killed by signal 9"

// One child. If Wait has not returned its end before destruction, the child and its process group
// are killed with SIGKILL and reaped, unless it runs on. Not thread-safe, except Signal().
class ChildProcess {
 public:
  virtual ~ChildProcess() = default;
  virtual pid_t pid() const = 0;
  // Returns NotFound if it has ended. Never signals another process, even if the pid was reused.
  virtual Status Signal(int signal) = 0;
  // Returns DeadlineExceeded if it still runs after `timeout`. May be repeated before and after the
  // end.
  virtual StatusOr<ExitStatus> Wait(Duration timeout) = 0;
  // Returns the next line of standard output without its newline, which the last line may lack.
  // REQUIRES: out = Pipe(). Returns OutOfRange at the end, DeadlineExceeded, or ResourceExhausted
  // for a line over `max_bytes`.
  virtual StatusOr<std::string> ReadLine(Duration timeout, int64_t max_bytes = 1 << 20) = 0;
  // Returns all of standard output up to its end. REQUIRES: out = Pipe(). Returns DeadlineExceeded,
  // or ResourceExhausted over `max_bytes`.
  virtual StatusOr<std::string> ReadAll(Duration timeout, int64_t max_bytes) = 0;
};

class Spawner {
 public:
  virtual ~Spawner() = default;
  // Starts a program by exec. The child has only the three standard descriptors, default signal
  // handlers, and a process group of its own (a Ctrl-C at the terminal reaches only this process).
  // It is killed when this process dies in any way, unless it runs on. Returns an error if the
  // program does not exist or cannot be executed. Thread-safe.
  virtual StatusOr<std::unique_ptr<ChildProcess>> Start(const SpawnOptions& options) = 0;
  static Spawner& Real();
};

}  // namespace dl

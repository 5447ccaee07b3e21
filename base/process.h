// The seam to other processes: start, watch, signal, and never leave one behind.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace dl {

// Where a stream of the child goes.
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
  std::vector<std::string> env;   // "NAME=value", on top of this process's environment
  ChildOutput out, err;
  std::string in;  // all of standard input
  // A daemon: in a session of its own, and nobody ends it, not the end of this process either.
  bool runs_on = false;
};

struct ExitStatus {
  int code = 0;    // when signal == 0
  int signal = 0;  // what ended it, 0 for an exit
  bool operator==(const ExitStatus&) const = default;
};
std::string ToString(ExitStatus status);  // "exited with 3", "was killed by signal 9"

// One child. Destruction before its end was seen by Wait kills it and its process group with
// SIGKILL and reaps it, unless it runs on. Not thread-safe, except Signal().
class ChildProcess {
 public:
  virtual ~ChildProcess() = default;
  virtual pid_t pid() const = 0;
  // NotFound when it has ended. Never reaches another process, even when the pid is in use again.
  virtual Status Signal(int signal) = 0;
  // DeadlineExceeded when it still runs after `timeout`; may be repeated before and after the end.
  virtual StatusOr<ExitStatus> Wait(Duration timeout) = 0;
  // The next line of standard output without its newline (also a last one that has none). REQUIRES:
  // out = Pipe(). OutOfRange at the end, DeadlineExceeded, ResourceExhausted for a line over
  // `max_bytes`.
  virtual StatusOr<std::string> ReadLine(Duration timeout, int64_t max_bytes = 1 << 20) = 0;
  // All of standard output up to its end. REQUIRES: out = Pipe(). DeadlineExceeded,
  // ResourceExhausted over `max_bytes`.
  virtual StatusOr<std::string> ReadAll(Duration timeout, int64_t max_bytes) = 0;
};

class Spawner {
 public:
  virtual ~Spawner() = default;
  // By exec, with no descriptor of ours but the three standard ones, default signal handlers, in a
  // process group of its own (a Ctrl-C at the terminal reaches only us), and killed when this
  // process dies, however it dies, unless it runs on. Fails when the program does not exist or
  // cannot be executed. Thread-safe.
  virtual StatusOr<std::unique_ptr<ChildProcess>> Start(const SpawnOptions& options) = 0;
  static Spawner& Real();
};

}  // namespace dl

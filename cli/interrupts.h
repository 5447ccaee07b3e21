// Handles signals while data is imported or a job is followed.
#pragma once

#include <atomic>
#include <string>

#include "base/status.h"

namespace dl::cli {

// SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU (the limit of processor time, which batch
// systems set) stop the command:
//   - The first signal sets stop().
//   - A later SIGINT or SIGTERM ends the process at once, with 128 plus its number as exit code.
//     Other later signals do nothing, because a closing terminal may send SIGHUP twice.
//   - A SIGHUP that is ignored when the object is created (nohup) stays ignored, unless it is the
//     checkpoint signal.
// The handlers stay installed after the object is destroyed. A first signal that arrives then does
// not change the exit code of a command that has reported its result. At most one object may exist
// in a process at a time.
class Interrupts {
 public:
  // `checkpoint_signal` ("HUP", "USR1" or "USR2"; empty: none) requests a checkpoint and does not
  // stop the command.
  explicit Interrupts(const std::string& checkpoint_signal = "");
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  const std::atomic<bool>& stop() const;
  // Returns whether the checkpoint signal arrived since the last call.
  bool TakeCheckpointRequest() const;
  // Returns 128 plus the number of the first signal that stops the command (130 for SIGINT, 143 for
  // SIGTERM); 0 before such a signal arrives.
  int exit_code() const;
  // Returns `status`. If it is Cancelled and a signal stopped the command, attaches exit_code() to
  // it as the exit code of the process (cli/exit_code.h).
  Status WithSignal(const Status& status) const;
};

// Sets bytes that a later signal that ends the process first writes to standard error, for example
// to clear a progress bar on a terminal. Null: none. The bytes must stay valid until the process
// ends, or until the next call.
void WriteOnExit(const char* bytes);

}  // namespace dl::cli

// Signals while data is imported or a job is followed.
#pragma once

#include <atomic>
#include <string>

#include "base/status.h"

namespace dl::cli {

// SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 stop the command. The first one sets stop(). A
// second SIGINT or SIGTERM ends the process at once with its code; a second one of the others does
// not, since a terminal that goes away may send SIGHUP twice. A SIGHUP that was ignored when the
// process started (nohup) stays ignored. The handlers stay after the end of the object: a command
// that has reported how it ended does not end by a signal that comes then.
//
// At most one object exists in a process at a time.
class Interrupts {
 public:
  // `checkpoint_signal` ("HUP", "USR1" or "USR2"; empty: none) asks for a checkpoint and does not
  // stop the command.
  explicit Interrupts(const std::string& checkpoint_signal = "");
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  const std::atomic<bool>& stop() const;
  // Whether that signal came since the last call.
  bool TakeCheckpointRequest() const;
  // 128 and the number of the signal (130 for SIGINT, 143 for SIGTERM); 0 before one came.
  int exit_code() const;
  // The same error; with that exit code when it is Cancelled and a signal came.
  Status WithSignal(const Status& status) const;
};

// A second signal ends the process at once: whether it has to clear the terminal's line then.
void ClearLineOnExit(bool wanted);

}  // namespace dl::cli

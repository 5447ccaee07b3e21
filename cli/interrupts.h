// Ctrl-C and SIGTERM while data is imported or a job is followed.
#pragma once

#include <atomic>

#include "base/status.h"

namespace dl::cli {

// One at a time in a process, and one for all of a command. The first signal sets stop(); the
// second ends the process at once with its code. That goes on behind its end: a command that has
// said how it ended does not end by the signal that comes then.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  const std::atomic<bool>& stop() const;
  // 130 or 143 after a signal, else 0.
  int exit_code() const;
  // The same error; with that exit code when it is Cancelled and a signal came.
  Status WithSignal(const Status& status) const;
};

// A second signal ends the process at once: whether it has to clear the terminal's line then.
void ClearLineOnExit(bool wanted);

}  // namespace dl::cli

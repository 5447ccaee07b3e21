// Ctrl-C and SIGTERM while a job is followed.
#pragma once

#include <atomic>

namespace dl::cli {

// One at a time in a process. The first signal sets stop(); the second ends the process at once
// with its code.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  const std::atomic<bool>& stop() const;
  // 130 or 143 after a signal, else 0.
  int exit_code() const;
};

}  // namespace dl::cli

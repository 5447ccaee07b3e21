// Signals that end a daemon, as something to wait for.
#pragma once

namespace dl::launch {

// At most one object exists in a process at a time. While it lives, SIGTERM, SIGINT, SIGHUP,
// SIGUSR1 and SIGUSR2 no longer end the process. A SIGHUP that was ignored when it started (nohup)
// stays ignored.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void Wait();          // until a signal came or Raise() was called
  void Raise();         // thread-safe
  int signals() const;  // how many came
};

}  // namespace dl::launch

// Turns the signals that end a daemon into something that a thread can wait for.
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

  void Wait();          // until the first signal or call of Raise(); later calls return at once
  void Raise();         // thread-safe
  int signals() const;  // number of signals received, without calls of Raise(); thread-safe
};

}  // namespace dl::launch

// Turns the signals that end a daemon into something that a thread can wait for.
#pragma once

namespace dl::launch {

// At most one object exists in a process at a time. While it lives, SIGTERM, SIGINT, SIGHUP,
// SIGUSR1 and SIGUSR2 end Wait() and do not end the process. If the process ignored SIGHUP before
// (nohup), SIGHUP stays ignored. The destructor restores the earlier handlers.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void Wait();          // until the first signal or call of Raise(); afterwards returns at once
  void Raise();         // ends Wait(), as a signal does; thread-safe
  int signals() const;  // number of signals received, without calls of Raise(); thread-safe
};

}  // namespace dl::launch

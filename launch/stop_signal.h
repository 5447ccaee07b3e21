// SIGTERM and SIGINT as something to wait for.
#pragma once

namespace dl::launch {

// One at a time in a process. While it lives, SIGTERM and SIGINT no longer end the process.
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

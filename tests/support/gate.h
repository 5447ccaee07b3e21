// Holds threads back until a test lets them go.
#pragma once

#include "base/mutex.h"

namespace dl::test {

// Thread-safe. Opens once.
class Gate {
 public:
  void Open() {
    MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }
  void Wait() {
    MutexLock lock(mutex_);
    while (!open_) changed_.Wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool open_ DL_GUARDED_BY(mutex_) = false;
};

// Declared behind what waits at the gate: a test that fails half way does not wait for ever.
class OpenedAtTheEnd {
 public:
  explicit OpenedAtTheEnd(Gate& gate) : gate_(gate) {}
  ~OpenedAtTheEnd() { gate_.Open(); }

 private:
  Gate& gate_;
};

}  // namespace dl::test

// Blocks threads until a test opens the gate.
#pragma once

#include "base/mutex.h"

namespace dl::test {

// A gate that opens once and stays open. Thread-safe.
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

// Opens the gate in its destructor. Declare it after the objects that wait at the gate: then a test
// that fails early does not block for ever.
class OpenedAtTheEnd {
 public:
  explicit OpenedAtTheEnd(Gate& gate) : gate_(gate) {}
  ~OpenedAtTheEnd() { gate_.Open(); }

 private:
  Gate& gate_;
};

}  // namespace dl::test

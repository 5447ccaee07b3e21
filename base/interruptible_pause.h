// Pauses of a thread that another thread can end.
#pragma once

#include "base/clock.h"
#include "base/mutex.h"

namespace dl {

// Thread-safe.
class InterruptiblePause {
 public:
  // Returns true after `time`, or false as soon as End was called, also if that was before.
  bool Wait(Duration time) DL_EXCLUDES(mutex_) {
    const Instant end = Clock::Real().Now() + time;
    MutexLock lock(mutex_);
    for (Duration left = time; !ended_ && left > Duration::zero(); left = end - Clock::Real().Now())
      changed_.WaitFor(mutex_, left);
    return !ended_;
  }
  // Ends this pause and all later ones. Idempotent.
  void End() DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ended_ = true;
    changed_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool ended_ DL_GUARDED_BY(mutex_) = false;
};

}  // namespace dl

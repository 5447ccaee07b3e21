// Waits between two attempts while another process becomes ready.
#pragma once

#include "base/clock.h"
#include "base/mutex.h"

namespace dl::launch {

// Blocks the calling thread for `duration`.
inline void Pause(Duration duration) {
  Mutex mutex;
  CondVar never;
  const Instant end = Clock::Real().Now() + duration;
  MutexLock lock(mutex);
  for (Duration left = duration; left > Duration::zero(); left = end - Clock::Real().Now())
    never.WaitFor(mutex, left);
}

}  // namespace dl::launch

// Waiting between two tries of something that another process has to get ready for.
#pragma once

#include "base/clock.h"
#include "base/mutex.h"

namespace dl::launch {

inline void Pause(Duration duration) {
  Mutex mutex;
  CondVar never;
  const Instant end = Clock::Real().Now() + duration;
  MutexLock lock(mutex);
  for (Duration left = duration; left > Duration::zero(); left = end - Clock::Real().Now())
    never.WaitFor(mutex, left);
}

}  // namespace dl::launch

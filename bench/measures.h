// Measures times and computes medians.
#pragma once

#include <functional>

#include "base/clock.h"
#include "speed/measured_steps.h"

namespace dl::bench {

// Runs `work` and returns the seconds that it took.
inline double SecondsOf(const std::function<void()>& work) {
  const Instant begin = Clock::Real().Now();
  work();
  return Seconds(Clock::Real().Now() - begin);
}

// Returns the processor time that the calling thread has used. On a shared machine, differences of
// it vary less than wall time.
inline double ThreadSeconds() { return Seconds(ThreadTime()); }

using speed::Median;

}  // namespace dl::bench

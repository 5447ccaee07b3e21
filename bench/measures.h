// Measures times and computes medians.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "base/clock.h"

namespace dl::bench {

// Runs `work` and returns the seconds that it took.
inline double SecondsOf(const std::function<void()>& work) {
  const Instant begin = Clock::Real().Now();
  work();
  return Seconds(Clock::Real().Now() - begin);
}

// Returns the median; for an even number of values, the upper of the two middle values. REQUIRES:
// `values` is not empty.
inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace dl::bench

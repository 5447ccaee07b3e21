// Times, and what is told of several.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "base/clock.h"

namespace dl::bench {

inline double SecondsOf(const std::function<void()>& work) {
  const Instant begin = Clock::Real().Now();
  work();
  return Seconds(Clock::Real().Now() - begin);
}

// Of an even number the upper one of the two in the middle. REQUIRES: there are some.
inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace dl::bench

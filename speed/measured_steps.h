// Times of training steps, and memory of this process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dl::speed {

// Milliseconds of each measured step: processor time of all threads of the process, and time of the
// wall clock.
struct StepTimes {
  std::vector<double> cpu, wall;
};

// Returns the median; for an even number of values, the upper of the two middle values. REQUIRES:
// `values` is not empty.
inline double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}
// Returns the smallest value. REQUIRES: `values` is not empty.
double LeastOf(const std::vector<double>& values);

// Measures by how much the resident memory of this process grows.
class ResidentGrowth {
 public:
  // Begins: resets the high-water mark of the process.
  ResidentGrowth();
  // Returns the bytes by which the high-water mark is above the memory at the beginning.
  int64_t Bytes() const;

 private:
  int64_t before_ = 0;
};

}  // namespace dl::speed

// Distinguishes the steps of sequences from the padding after them.
#pragma once

#include <cstdint>
#include <span>

namespace dl::dataset {

// Finds the values of an array [examples, steps, values] that are padding: they lie after the last
// step of their example. Next() must be called once for each value, in C order. Not thread-safe.
class AfterEnds {
 public:
  // Each example has `steps` steps, including padding, and each step has `values` values. `lengths`
  // has the number of steps of each example without padding. Its memory must outlive this object.
  // If `lengths` is empty, no value is padding.
  AfterEnds(std::span<const int32_t> lengths, int64_t steps, int64_t values)
      : lengths_(lengths), steps_(steps), values_(values) {}

  // Returns whether the next value is padding. REQUIRES: the array has a next value.
  bool Next() {
    if (lengths_.empty()) return false;
    const int64_t step = at_++ / values_;
    return step % steps_ >= lengths_[step / steps_];
  }

 private:
  const std::span<const int32_t> lengths_;
  const int64_t steps_, values_;
  int64_t at_ = 0;
};

}  // namespace dl::dataset

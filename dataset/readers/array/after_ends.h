// Tells the steps of sequences from the padding after them.
#pragma once

#include <cstdint>
#include <span>

namespace dl::dataset {

// Finds the values of an array, in C order, that lie after the last step of their example. Not
// thread-safe.
class AfterEnds {
 public:
  // `values` per step, `steps` per example. Empty `lengths`: no value is after the end.
  AfterEnds(std::span<const int32_t> lengths, int64_t steps, int64_t values)
      : lengths_(lengths), steps_(steps), values_(values) {}

  // Returns whether the next value is after the end.
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

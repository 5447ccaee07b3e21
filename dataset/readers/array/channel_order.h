// Converts arrays with channels last into examples with channels first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "job/sources/array_layout.h"

namespace dl::dataset {

// Returns the shape of an example with channels first. `shape` is the shape of the array without
// the number of examples. Returns InvalidArgument in two cases:
// - The layout is auto, and the channels seem to be last: at least three dimensions, and a last
//   extent that is below the first two. It must also be 1, 3 or 4. For images of 8 x 8 or more
//   pixels, any number up to 16 is enough.
// - The layout is channels last, and the shape has fewer than three dimensions.
StatusOr<std::vector<int64_t>> ShapeInOrder(const std::vector<int64_t>& shape,
                                            job::ArrayLayout layout);

// Receives the values of examples one by one, channels last, and appends complete examples with
// channels first.
template <typename T>
class ChannelsInFront {
 public:
  ChannelsInFront(int64_t channels, int64_t values) : channels_(channels), values_(values) {
    example_.reserve(static_cast<size_t>(values));
  }

  void Add(T value, std::vector<T>& out) {
    example_.push_back(value);
    if (static_cast<int64_t>(example_.size()) < values_) return;
    for (int64_t c = 0; c < channels_; ++c) {
      for (int64_t at = c; at < values_; at += channels_) out.push_back(example_[at]);
    }
    example_.clear();
  }

 private:
  const int64_t channels_, values_;
  std::vector<T> example_;
};

}  // namespace dl::dataset

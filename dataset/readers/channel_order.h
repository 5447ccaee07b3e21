// Arrays whose channels stand last, as examples whose channels stand first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "job/sources/array_layout.h"

namespace dl::dataset {

// The shape of an example with its channels in front, of an array's shape without the number of
// examples. InvalidArgument: the layout is auto and the shape looks as if the channels stood last;
// the channels stand last and the shape has less than three extents.
StatusOr<std::vector<int64_t>> ShapeInOrder(const std::vector<int64_t>& shape,
                                            job::ArrayLayout layout);

// Takes the values of examples one by one, and appends whole examples.
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

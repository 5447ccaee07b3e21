// Copies a tensor from one arrangement in memory to another one, both without gaps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/kernels/index_range.h"

namespace dl::nn {

class StridedCopy {
 public:
  // The value with the index i has the distance sum of i[axis] * strides[axis] from the first.
  // REQUIRES: equal sizes; distances without gaps and overlaps.
  StridedCopy(std::span<const int64_t> dims, std::span<const int64_t> from,
              std::span<const int64_t> to);

  // The parts into which the copy may be divided.
  int64_t pieces() const { return pieces_; }
  int64_t ValuesOfPiece() const;
  // Value: float or uint8_t.
  template <typename Value>
  void CopyPieces(IndexRange pieces, const Value* from, Value* to) const;

 private:
  struct Axis {
    int64_t size = 1, from = 0, to = 0;
  };

  std::vector<Axis> outer_;
  // The axis that is contiguous in the source, unless it is `inner_`, and the one that is
  // contiguous in the result.
  Axis across_, inner_;
  int64_t pieces_ = 1;
};

}  // namespace dl::nn

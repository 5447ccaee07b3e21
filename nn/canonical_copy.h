// A block of parameters (their weights, their gradients) as the canonical vector has them: what is
// added up over them in that order does not depend on how kernels lay them out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/float_buffer.h"
#include "base/status.h"
#include "nn/backend/primitive.h"

namespace dl::nn {

class CanonicalCopy {
 public:
  // One tensor of the block.
  struct Source {
    const float* values = nullptr;
    const Primitive* to_canonical = nullptr;  // empty where both layouts agree
    int64_t offset = 0, size = 0;             // in the copy
  };

  CanonicalCopy() = default;
  // Binds to the tensors, which must stay where they are. `size`: of all of them.
  static StatusOr<CanonicalCopy> Create(std::span<const Source> sources, int64_t size);

  // Copies what the tensors are now. Allocates nothing. The result is valid until the next call.
  StatusOr<std::span<const float>> Refresh();
  int64_t floats() const { return buffer_.size(); }

 private:
  struct Piece {
    BoundPrimitive reorder;  // empty: a plain copy
    const float* values = nullptr;
    int64_t offset = 0, size = 0;
  };
  FloatBuffer buffer_;
  std::vector<Piece> pieces_;
};

}  // namespace dl::nn

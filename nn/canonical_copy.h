// Copies a block of tensors (weights or gradients) into one canonical vector (nn/network.h). Sums
// that are computed over the copy do not depend on the layouts that the kernels chose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/float_buffer.h"
#include "base/status.h"
#include "nn/backend/primitive.h"
#include "nn/tensor_copy.h"

namespace dl::nn {

// Not thread-safe.
class CanonicalCopy {
 public:
  // A tensor of the block.
  struct Source {
    const float* values = nullptr;
    // Copies the tensor to the canonical layout. An empty primitive if the layouts agree. REQUIRES:
    // not null.
    const Primitive* to_canonical = nullptr;
    int64_t offset = 0, size = 0;  // position in the copy
  };

  CanonicalCopy() = default;
  // Binds to the tensors, whose addresses must not change. `size` is the number of values of all
  // tensors. Returns the errors of TensorCopy::Create and FloatBuffer::Create.
  static StatusOr<CanonicalCopy> Create(std::span<const Source> sources, int64_t size);

  // Copies the current values of the tensors. The result is valid until the next call. Allocates no
  // memory, except for allocations inside oneDNN (BoundPrimitive::Run). Returns the errors of
  // TensorCopy::Run.
  StatusOr<std::span<const float>> Refresh();
  // Returns the number of floats in the copy and in the scratchpads of the primitives.
  int64_t floats() const { return floats_; }

 private:
  struct Piece {
    TensorCopy reorder;  // empty means a plain copy
    const float* values = nullptr;
    int64_t offset = 0, size = 0;
  };
  FloatBuffer buffer_;
  int64_t floats_ = 0;  // of the buffer and of scratchpads
  std::vector<Piece> pieces_;
};

}  // namespace dl::nn

// Tensors (weights or gradients) as they are in the canonical vector (nn/network.h), one at a time.
// Sums that are computed over them do not depend on the layouts that the kernels chose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/float_buffer.h"
#include "base/status.h"
#include "nn/tensor_copy.h"

namespace dl::nn {

// Not thread-safe.
class CanonicalTensors {
 public:
  struct Source {
    const float* values = nullptr;
    // Copies the tensor to the canonical layout. An empty primitive if the layouts agree. REQUIRES:
    // not null.
    const Primitive* to_canonical = nullptr;
    int64_t size = 0;
  };

  CanonicalTensors() = default;
  // Binds to the tensors, whose addresses must not change. Tensors in another layout share memory
  // for one copy. Returns the errors of TensorCopy::Create and FloatBuffer::Create.
  static StatusOr<CanonicalTensors> Create(std::span<const Source> sources);

  size_t size() const { return pieces_.size(); }
  // Returns the current values of the tensor with this index in the order of Create. Valid until
  // the next call. Allocates no memory, except for allocations inside oneDNN
  // (BoundPrimitive::Run). Returns the errors of TensorCopy::Run.
  StatusOr<std::span<const float>> Get(size_t i) const;
  // Returns the number of floats in the copy and in the scratchpads of the primitives.
  int64_t floats() const { return floats_; }

 private:
  struct Piece {
    TensorCopy reorder;  // empty: the layouts agree
    const float* values = nullptr;
    int64_t size = 0;
  };
  FloatBuffer copy_;    // holds one tensor at a time
  int64_t floats_ = 0;  // of the copy and of scratchpads
  std::vector<Piece> pieces_;
};

}  // namespace dl::nn

// Copies one tensor to another layout, at addresses that do not change.
#pragma once

#include <cstdint>

#include "base/float_buffer.h"
#include "base/status.h"
#include "nn/backend/primitive.h"

namespace dl::nn {

// Movable. Not thread-safe.
class TensorCopy {
 public:
  TensorCopy() = default;
  // Binds the reorder to both tensors and to a scratchpad of its own. Returns the errors of
  // Primitive::Bind and FloatBuffer::Create.
  static StatusOr<TensorCopy> Create(const Primitive& reorder, const float* from, float* to);

  bool empty() const { return bound_.empty(); }
  // Copies the tensor (BoundPrimitive::Run). REQUIRES: not empty.
  Status Run() const { return bound_.Run(); }
  // Returns the number of floats in the scratchpad.
  int64_t floats() const { return scratch_.size(); }

 private:
  FloatBuffer scratch_;
  BoundPrimitive bound_;
};

}  // namespace dl::nn

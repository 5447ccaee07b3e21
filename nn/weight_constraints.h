// Applies weight constraints (nn/conf/weight_constraint.h) after a step. The weights of one output
// are contiguous only in the canonical layout, and the squares of their norm are added in that
// order. Tensors in other layouts are therefore copied to the canonical layout and back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/float_buffer.h"
#include "base/status.h"
#include "nn/backend/primitive.h"
#include "nn/conf/weight_constraint.h"
#include "nn/tensor_copy.h"

namespace dl::nn {

// Not thread-safe.
class WeightConstraints {
 public:
  // A tensor of weights.
  struct Target {
    WeightConstraintConf constraint;
    float* weights = nullptr;
    // Copy the weights to the canonical layout, and back. Both primitives are empty if the layouts
    // agree. REQUIRES: not null, unless the tensor has no constraint.
    const Primitive* to_canonical = nullptr;
    const Primitive* to_kernel = nullptr;
    int64_t outputs = 0, inputs = 0;  // first dimension, and product of the others
  };

  WeightConstraints() = default;
  // Binds to the tensors, whose addresses must not change. Tensors without a constraint are
  // ignored. Returns the errors of TensorCopy::Create and FloatBuffer::Create.
  static StatusOr<WeightConstraints> Create(std::span<const Target> targets);

  // Changes the weights so that they satisfy their constraints. Allocates no memory, except for
  // allocations inside oneDNN (BoundPrimitive::Run). Returns the errors of TensorCopy::Run.
  Status Apply();
  // Returns the number of floats in the copy and in the scratchpads of the primitives.
  int64_t floats() const { return floats_; }

 private:
  struct Piece {
    WeightConstraintConf constraint;
    float* rows = nullptr;  // canonical: the weights themselves, or their copy
    int64_t outputs = 0, inputs = 0;
    TensorCopy to_canonical, to_kernel;
  };
  FloatBuffer copy_;    // holds one tensor at a time
  int64_t floats_ = 0;  // of the copy and of scratchpads
  std::vector<Piece> pieces_;
};

}  // namespace dl::nn

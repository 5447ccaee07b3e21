// Holds weights to their constraints (nn/conf/weight_constraint.h) behind a step. An output's
// weights lie side by side in the canonical form alone, and its norm is added up in that order: so
// tensors that kernels lay out in another way are copied there and back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/float_buffer.h"
#include "base/status.h"
#include "nn/backend/primitive.h"
#include "nn/conf/weight_constraint.h"

namespace dl::nn {

class WeightConstraints {
 public:
  // One tensor of weights.
  struct Target {
    WeightConstraintConf constraint;
    float* weights = nullptr;
    const Primitive* to_canonical = nullptr;  // both are empty where the layouts agree
    const Primitive* to_kernel = nullptr;
    int64_t outputs = 0, inputs = 0;  // the first dimension, and the product of the others
  };

  WeightConstraints() = default;
  // Binds to the tensors, which must stay where they are; those without a constraint are left out.
  static StatusOr<WeightConstraints> Create(std::span<const Target> targets);

  // Changes the weights. Allocates nothing.
  Status Apply();
  int64_t floats() const { return copy_.size(); }

 private:
  struct Piece {
    WeightConstraintConf constraint;
    float* rows = nullptr;  // canonical: the weights themselves, or their copy
    int64_t outputs = 0, inputs = 0;
    BoundPrimitive to_canonical, to_kernel;
  };
  FloatBuffer copy_;  // of one tensor at a time
  std::vector<Piece> pieces_;
};

}  // namespace dl::nn

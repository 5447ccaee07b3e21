// Sum of two tensors. Used by add layers, and for the gradient of a value that several layers read.
#pragma once

#include "nn/layers/conversion.h"
#include "nn/layers/own_copy.h"

namespace dl::nn {

class TensorSum {
 public:
  // Returns the sum, which may be overwritten, in the layout of `sum`. The type of the result is
  // kBf16 if both operands have it, otherwise kFloat32. Its buffer is the buffer of an operand that
  // no later step reads, or a new buffer if there is none.
  StatusOr<Tensor> Plan(PlanBuilder& builder, const Tensor& sum, const Tensor& term);
  // Takes the addresses of the buffers. Must be called after Plan, and again if addresses change.
  Status Bind(const PlanMemory& memory);
  Status Run() const;  // computes the sum; REQUIRES: Bind was called

 private:
  OwnCopy own_sum_;
  Conversion sum_to_layout_, to_layout_;
  Tensor sum_, term_;
  void* sum_values_ = nullptr;
  const void* term_values_ = nullptr;
};

}  // namespace dl::nn

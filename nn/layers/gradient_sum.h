// The gradient by a value that several layers read: the sum of what they give, in the order in
// which the backward pass comes to them.
#pragma once

#include "nn/layers/conversion.h"
#include "nn/layers/own_copy.h"

namespace dl::nn {

class GradientSum {
 public:
  // The sum, free, in the layout of `sum`.
  StatusOr<Tensor> Plan(PlanBuilder& builder, const Tensor& sum, const Tensor& term);
  Status Bind(const PlanMemory& memory);
  Status Run() const;

 private:
  OwnCopy own_sum_;
  Conversion to_layout_;
  Tensor sum_, term_;
  float* sum_values_ = nullptr;
  const float* term_values_ = nullptr;
};

}  // namespace dl::nn

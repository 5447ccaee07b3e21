// The sum of two tensors: what the layers that read a value give for its gradient, and what an add
// layer computes.
#pragma once

#include "nn/layers/conversion.h"
#include "nn/layers/own_copy.h"

namespace dl::nn {

class TensorSum {
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

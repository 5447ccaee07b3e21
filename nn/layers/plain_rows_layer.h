// What layers share whose kernels are ours and read plain tensors, row-major, rows, images or
// volumes: the input and the output's gradient are brought into that form, whatever form they come
// in, and output and input's gradient are given in it.
#pragma once

#include <vector>

#include "nn/layers/conversion.h"

namespace dl::nn {

class PlainRowsLayer : public UnaryLayer {
 public:
  Status Bind(const PlanMemory& memory) final;
  Status Forward(const Pass& pass) override;
  Status Backward(const Pass& pass) final;

 protected:
  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) final;
  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient input) final;

  // Plans what lies between; the result is the output's dimensions.
  virtual StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                                  const std::vector<int64_t>& input) = 0;
  // Says what is used again, x by UseInput, and plans what is needed besides.
  virtual Status PlanRowsGradient(PlanBuilder& builder) = 0;
  // `x` and the others are there.
  virtual Status BindRows(const PlanMemory& memory) = 0;
  virtual Status ForwardRows() = 0;
  virtual Status BackwardRows() = 0;

  void UseInput(PlanBuilder& builder) { builder.arena().Use(input_.buffer); }
  bool has_gradient() const { return !gradient_.empty(); }
  const float* x() const { return x_; }
  float* y() const { return y_; }
  const float* dy() const { return dy_; }
  // nullptr where nobody reads it, which is so of layers with parameters alone.
  float* dx() const { return dx_; }

 private:
  Conversion to_plain_, to_plain_gradient_;
  Tensor input_, output_, gradient_, diff_input_;
  const float* x_ = nullptr;
  float* y_ = nullptr;
  const float* dy_ = nullptr;
  float* dx_ = nullptr;
};

}  // namespace dl::nn

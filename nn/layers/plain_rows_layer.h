// Base of layers with Paravane's own kernels for plain, row-major tensors: rows, images or volumes.
// The input and the output's gradient are converted to the plain layout. The output and the input's
// gradient are plain.
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

  // Plans the layer's own buffers. Returns the dimensions of the output.
  virtual StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                                  const std::vector<int64_t>& input) = 0;
  // Marks the buffers that the backward step reads, x by UseInput, and plans its own buffers.
  virtual Status PlanRowsGradient(PlanBuilder& builder) = 0;
  // Called when x(), y(), dy() and dx() are set.
  virtual Status BindRows(const PlanMemory& memory) = 0;
  virtual Status ForwardRows() = 0;
  virtual Status BackwardRows() = 0;

  void UseInput(PlanBuilder& builder) { builder.arena().Use(input_.buffer); }
  bool has_gradient() const { return !gradient_.empty(); }
  const float* x() const { return x_; }
  // Valid in ForwardRows only, because a later layer may overwrite the output.
  float* y() const { return y_; }
  const float* dy() const { return dy_; }
  // nullptr in a plan without a backward step for this layer, and in a layer with parameters whose
  // input needs no gradient.
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

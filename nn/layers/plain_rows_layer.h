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
  // Returns the type of x(), y(), dy() and dx().
  virtual DataType TypeOfRows(const PlanBuilder&) const { return DataType::kFloat32; }

  void UseInput(PlanBuilder& builder) { builder.arena().Use(input_.buffer); }
  bool is_bf16() const { return output_.layout.type() == DataType::kBf16; }
  bool has_gradient() const { return !gradient_.empty(); }
  template <typename Value = float>
  const Value* x() const {
    return static_cast<const Value*>(x_);
  }
  // Valid in ForwardRows only, because a later layer may overwrite the output.
  template <typename Value = float>
  Value* y() const {
    return static_cast<Value*>(y_);
  }
  template <typename Value = float>
  const Value* dy() const {
    return static_cast<const Value*>(dy_);
  }
  // nullptr in a plan without a backward step for this layer, and in a layer with parameters whose
  // input needs no gradient.
  template <typename Value = float>
  Value* dx() const {
    return static_cast<Value*>(dx_);
  }

 private:
  Conversion to_plain_, to_plain_gradient_;
  Tensor input_, output_, gradient_, diff_input_;
  const void* x_ = nullptr;
  void* y_ = nullptr;
  const void* dy_ = nullptr;
  void* dx_ = nullptr;
};

}  // namespace dl::nn

// What layers without parameters share that read and write images in the plain layout,
// [n, c, h, w], and whose gradient needs neither.
#pragma once

#include "nn/conf/input_type.h"
#include "nn/layers/compiled_layer.h"
#include "nn/layers/conversion.h"

namespace dl::nn {

class PlainImageLayer : public UnaryLayer {
 public:
  explicit PlainImageLayer(const InputType& output) : output_type_(output) {}

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override;
  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient input) override;
  Status Bind(const PlanMemory& memory) override;
  Status Forward(const Pass& pass) override;
  Status Backward(const Pass& pass) override;

 protected:
  // Of `planes` images of one channel; each writes all of its result.
  virtual void Compute(int64_t planes, const float* x, float* y) const = 0;
  virtual void ComputeGradient(int64_t planes, const float* dy, float* dx) const = 0;

 private:
  InputType output_type_;
  int64_t planes_ = 0;
  Conversion to_plain_, to_plain_gradient_;
  Tensor input_, output_, gradient_, diff_input_;
  const float* x_ = nullptr;
  float* y_ = nullptr;
  const float* dy_ = nullptr;
  float* dx_ = nullptr;
};

}  // namespace dl::nn

// Base of layers without parameters that map images plane by plane in the plain layout [n, c, h,
// w]. The gradient needs neither the input nor the output.
#pragma once

#include <vector>

#include "nn/conf/input_type.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {

class PlainImageLayer : public PlainRowsLayer {
 public:
  explicit PlainImageLayer(const InputType& output) : output_type_(output) {}

 protected:
  // Process `planes` images of one channel. Each function writes its whole result.
  virtual void Compute(int64_t planes, const float* x, float* y) const = 0;
  virtual void ComputeGradient(int64_t planes, const float* dy, float* dx) const = 0;

 private:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder&, const std::vector<int64_t>& input) final {
    planes_ = input[0] * input[1];
    return std::vector<int64_t>{input[0], input[1], output_type_.height, output_type_.width};
  }
  Status PlanRowsGradient(PlanBuilder&) final { return absl::OkStatus(); }
  Status BindRows(const PlanMemory&) final { return absl::OkStatus(); }
  Status ForwardRows() final {
    Compute(planes_, x(), y());
    return absl::OkStatus();
  }
  Status BackwardRows() final {
    ComputeGradient(planes_, dy(), dx());
    return absl::OkStatus();
  }

  InputType output_type_;
  int64_t planes_ = 0;
};

}  // namespace dl::nn

// Base of layers without parameters that map plain tensors. The gradient needs neither the input
// nor the output.
#pragma once

#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {

class PlainMapLayer : public PlainRowsLayer {
 protected:
  // Returns the dimensions of the output. Keeps the values of the input's dimensions that Compute
  // needs.
  virtual std::vector<int64_t> Plan(const std::vector<int64_t>& input) = 0;
  // Each function writes its whole result.
  virtual void Compute(const float* x, float* y) const = 0;
  virtual void ComputeGradient(const float* dy, float* dx) const = 0;

 private:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder&, const std::vector<int64_t>& input) final {
    return Plan(input);
  }
  Status PlanRowsGradient(PlanBuilder&) final { return absl::OkStatus(); }
  Status BindRows(const PlanMemory&) final { return absl::OkStatus(); }
  Status ForwardRows() final {
    Compute(x(), y());
    return absl::OkStatus();
  }
  Status BackwardRows() final {
    ComputeGradient(dy(), dx());
    return absl::OkStatus();
  }
};

}  // namespace dl::nn

// What layers without parameters share that read and write plain tensors, and whose gradient needs
// neither.
#pragma once

#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {

class PlainMapLayer : public PlainRowsLayer {
 protected:
  // The output's dimensions; what Compute needs of the input's is kept.
  virtual std::vector<int64_t> Plan(const std::vector<int64_t>& input) = 0;
  // Each writes all of its result.
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

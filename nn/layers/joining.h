// Base of layers with several inputs (nn/layers/compiled_concat.h,
// nn/layers/compiled_elementwise.h, nn/layers/compiled_attention.h). Each input is converted to the
// layout in which the inputs are joined. Its gradient has that layout, too.
#pragma once

#include <span>
#include <vector>

#include "nn/layers/compiled_layer.h"
#include "nn/layers/conversion.h"

namespace dl::nn {

class JoiningLayer : public CompiledLayer {
 public:
  StatusOr<std::vector<Tensor>> PlanForward(PlanBuilder& builder,
                                            std::span<const Tensor> inputs) final;
  StatusOr<std::vector<Tensor>> PlanBackward(PlanBuilder& builder,
                                             std::span<const Tensor> gradients,
                                             std::span<const InputGradient> inputs) final;
  Status Bind(const PlanMemory& memory) final;
  Status Forward(const Pass& pass) override;
  Status Backward(const Pass& pass) final;

 protected:
  struct Part {
    Layout layout;
    Conversion to_layout;
    Tensor input, gradient;
    const float* x = nullptr;
    float* dx = nullptr;  // null if not needed
  };

  // Layouts of the parts, one part for each input, and of the output.
  struct Layouts {
    std::vector<Layout> parts;
    Layout output;
  };
  // Decides the layouts in which the inputs are joined.
  virtual Layouts LayoutsOf(std::span<const Tensor> inputs) = 0;
  // Plans buffers besides the inputs and the output.
  virtual Status PlanMore(PlanBuilder&) { return absl::OkStatus(); }
  // Plans the gradients of the inputs and marks the buffers that the backward step reads. By
  // default each input that needs a gradient has a gradient of its own.
  virtual StatusOr<std::vector<Tensor>> PlanInputGradients(PlanBuilder& builder,
                                                           std::span<const InputGradient> inputs);
  virtual Status BindMore(const PlanMemory&) { return absl::OkStatus(); }
  // Computes y() from the parts' x.
  virtual Status Join() = 0;
  // Computes the parts' dx, except those that are null, from dy().
  virtual Status JoinGradients() = 0;

  static Tensor NewTensor(PlanBuilder& builder, const Layout& layout);
  std::vector<Part>& parts() { return parts_; }
  const Layout& layout() const { return output_.layout; }  // of the output
  bool has_gradient() const { return !gradient_.empty(); }
  // Valid in Join only, because a later layer may overwrite the output.
  float* y() const { return y_; }
  const float* dy() const { return dy_; }

 private:
  std::vector<Part> parts_;
  Conversion gradient_to_layout_;
  Tensor output_, gradient_;
  float* y_ = nullptr;
  const float* dy_ = nullptr;
};

}  // namespace dl::nn

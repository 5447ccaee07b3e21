#include "nn/layers/plain_image.h"

namespace dl::nn {

StatusOr<Tensor> PlainImageLayer::PlanOutput(PlanBuilder& builder, const Tensor& input) {
  const std::vector<int64_t> dims = input.layout.dims();
  planes_ = dims[0] * dims[1];
  DL_ASSIGN_OR_RETURN(input_, to_plain_.Plan(builder, input, Layout::Plain(dims)));
  output_.layout = Layout::Plain(
      std::vector<int64_t>{dims[0], dims[1], output_type_.height, output_type_.width});
  output_.buffer = builder.arena().Add(output_.layout.storage_floats());
  return output_;
}

StatusOr<Tensor> PlainImageLayer::PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                               InputGradient) {
  DL_ASSIGN_OR_RETURN(gradient_, to_plain_gradient_.Plan(builder, gradient, output_.layout));
  diff_input_ = {.layout = input_.layout,
                 .buffer = builder.arena().Add(input_.layout.storage_floats())};
  return diff_input_;
}

Status PlainImageLayer::Bind(const PlanMemory& memory) {
  DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
  DL_RETURN_IF_ERROR(to_plain_gradient_.Bind(memory));
  x_ = memory.Buffer(input_.buffer);
  y_ = memory.Buffer(output_.buffer);
  dy_ = memory.Buffer(gradient_.buffer);
  dx_ = memory.Buffer(diff_input_.buffer);
  return absl::OkStatus();
}

Status PlainImageLayer::Forward(const Pass&) {
  DL_RETURN_IF_ERROR(to_plain_.Run());
  Compute(planes_, x_, y_);
  return absl::OkStatus();
}

Status PlainImageLayer::Backward(const Pass&) {
  DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
  ComputeGradient(planes_, dy_, dx_);
  return absl::OkStatus();
}

}  // namespace dl::nn

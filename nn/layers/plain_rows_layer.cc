#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {

StatusOr<Tensor> PlainRowsLayer::PlanOutput(PlanBuilder& builder, const Tensor& input) {
  const std::vector<int64_t> dims = input.layout.dims();
  const DataType type = TypeOfRows(builder);
  DL_ASSIGN_OR_RETURN(input_, to_plain_.Plan(builder, input, Layout::Plain(dims, type)));
  DL_ASSIGN_OR_RETURN(const std::vector<int64_t> output, PlanRows(builder, dims));
  output_.layout = Layout::Plain(output, type);
  output_.buffer = builder.arena().Add(output_.layout);
  return output_;
}

StatusOr<Tensor> PlainRowsLayer::PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                              InputGradient input) {
  DL_ASSIGN_OR_RETURN(gradient_, to_plain_gradient_.Plan(builder, gradient, output_.layout));
  DL_RETURN_IF_ERROR(PlanRowsGradient(builder));
  if (input == InputGradient::kUnused) return Tensor{};
  diff_input_ = {.layout = input_.layout, .buffer = builder.arena().Add(input_.layout)};
  return diff_input_;
}

Status PlainRowsLayer::Bind(const PlanMemory& memory) {
  DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
  DL_RETURN_IF_ERROR(to_plain_gradient_.Bind(memory));
  x_ = memory.Untyped(input_.buffer);
  y_ = memory.Untyped(output_.buffer);
  dy_ = memory.Untyped(gradient_.buffer);
  dx_ = memory.Untyped(diff_input_.buffer);
  return BindRows(memory);
}

Status PlainRowsLayer::Forward(const Pass&) {
  DL_RETURN_IF_ERROR(to_plain_.Run());
  return ForwardRows();
}

Status PlainRowsLayer::Backward(const Pass&) {
  DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
  return BackwardRows();
}

}  // namespace dl::nn

#include "nn/layers/joining.h"

namespace dl::nn {

StatusOr<std::vector<Tensor>> JoiningLayer::PlanForward(PlanBuilder& builder,
                                                        std::span<const Tensor> inputs) {
  const Layouts layouts = LayoutsOf(inputs);
  parts_ = std::vector<Part>(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    Part& part = parts_[i];
    part.layout = layouts.parts[i];
    DL_ASSIGN_OR_RETURN(part.input, part.to_layout.Plan(builder, inputs[i], part.layout));
  }
  output_ = NewTensor(builder, layouts.output);
  DL_RETURN_IF_ERROR(PlanMore(builder));
  return std::vector<Tensor>{output_};
}

StatusOr<std::vector<Tensor>> JoiningLayer::PlanBackward(PlanBuilder& builder,
                                                         std::span<const Tensor> gradients,
                                                         std::span<const InputGradient> inputs) {
  DL_ASSIGN_OR_RETURN(gradient_, gradient_to_layout_.Plan(builder, gradients.front(), layout()));
  return PlanInputGradients(builder, inputs);
}

StatusOr<std::vector<Tensor>> JoiningLayer::PlanInputGradients(
    PlanBuilder& builder, std::span<const InputGradient> inputs) {
  std::vector<Tensor> by_inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Part& part = parts_[i];
    if (inputs[i] == InputGradient::kNeeded) part.gradient = NewTensor(builder, part.layout);
    by_inputs.push_back(part.gradient);
  }
  return by_inputs;
}

Status JoiningLayer::Bind(const PlanMemory& memory) {
  DL_RETURN_IF_ERROR(gradient_to_layout_.Bind(memory));
  y_ = memory.Buffer(output_.buffer);
  dy_ = memory.Buffer(gradient_.buffer);
  for (Part& part : parts_) {
    DL_RETURN_IF_ERROR(part.to_layout.Bind(memory));
    part.x = memory.Buffer(part.input.buffer);
    part.dx = memory.Buffer(part.gradient.buffer);
  }
  return BindMore(memory);
}

Status JoiningLayer::Forward(const Pass&) {
  for (const Part& part : parts_) DL_RETURN_IF_ERROR(part.to_layout.Run());
  return Join();
}

Status JoiningLayer::Backward(const Pass&) {
  DL_RETURN_IF_ERROR(gradient_to_layout_.Run());
  return JoinGradients();
}

Tensor JoiningLayer::NewTensor(PlanBuilder& builder, const Layout& layout) {
  return {.layout = layout, .buffer = builder.arena().Add(layout)};
}

}  // namespace dl::nn

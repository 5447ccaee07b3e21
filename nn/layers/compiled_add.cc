#include "nn/layers/compiled_add.h"

#include <algorithm>

#include "nn/layers/tensor_sum.h"

namespace dl::nn {
namespace {

class AddLayer : public CompiledLayer {
 public:
  Bf16Support SupportOfBf16() const override { return Bf16Support::kKeeps; }
  StatusOr<std::vector<Tensor>> PlanForward(PlanBuilder& builder,
                                            std::span<const Tensor> inputs) override {
    Tensor sum = inputs.front();
    for (const Tensor& input : inputs.subspan(1)) {
      DL_ASSIGN_OR_RETURN(sum, sums_.emplace_back().Plan(builder, sum, input));
    }
    return std::vector<Tensor>{sum};
  }

  // The gradient of each input is the output's gradient. All inputs share one tensor, which must
  // not be overwritten when several inputs need it.
  StatusOr<std::vector<Tensor>> PlanBackward(PlanBuilder& builder,
                                             std::span<const Tensor> gradients,
                                             std::span<const InputGradient> inputs) override {
    Tensor gradient = gradients.front();
    builder.arena().Use(gradient.buffer);
    if (std::count(inputs.begin(), inputs.end(), InputGradient::kNeeded) > 1)
      gradient.keep = Tensor::Keep::kNeeded;
    return std::vector<Tensor>(inputs.size(), gradient);
  }

  Status Bind(const PlanMemory& memory) override {
    for (TensorSum& sum : sums_) DL_RETURN_IF_ERROR(sum.Bind(memory));
    return absl::OkStatus();
  }
  Status Forward(const Pass&) override {
    for (const TensorSum& sum : sums_) DL_RETURN_IF_ERROR(sum.Run());
    return absl::OkStatus();
  }
  Status Backward(const Pass&) override { return absl::OkStatus(); }

 private:
  std::vector<TensorSum> sums_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileAdd() { return std::make_unique<AddLayer>(); }

}  // namespace dl::nn

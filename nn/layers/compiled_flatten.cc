#include "nn/layers/compiled_flatten.h"

#include <optional>

#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

// Interprets a plain tensor as another shape.
class ReshapeLayer : public UnaryLayer {
 public:
  // Without `output`, each example becomes one row.
  explicit ReshapeLayer(int64_t steps, std::optional<InputType> output = std::nullopt)
      : steps_(steps), output_(output) {}

  Bf16Support SupportOfBf16() const override { return Bf16Support::kKeeps; }
  GradientUse UseOfGradient() const override { return GradientUse::kPassesOn; }

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    before_ = Layout::Plain(input.layout.dims(), input.layout.type());
    const int64_t examples = before_.dims()[0] / steps_;
    std::vector<int64_t> dims{examples, before_.elements() / examples};
    if (output_ && output_->IsSequence()) {
      dims = {examples * output_->Steps(), output_->channels};
    } else if (output_) {
      dims = output_->Shape();
      dims.insert(dims.begin(), examples);
    }
    after_ = Layout::Plain(dims, input.layout.type());
    DL_ASSIGN_OR_RETURN(Tensor output, to_plain_.Plan(builder, input, before_));
    output.layout = after_;
    return output;
  }
  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    const DataType type = gradient.layout.type();
    DL_ASSIGN_OR_RETURN(Tensor output, to_plain_gradient_.Plan(builder, gradient, after_.As(type)));
    output.layout = before_.As(type);
    return output;
  }
  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
    return to_plain_gradient_.Bind(memory);
  }
  Status Forward(const Pass&) override { return to_plain_.Run(); }
  Status Backward(const Pass&) override { return to_plain_gradient_.Run(); }

 private:
  int64_t steps_;
  std::optional<InputType> output_;
  Layout before_, after_;
  Conversion to_plain_, to_plain_gradient_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileFlatten(int64_t steps) {
  return std::make_unique<ReshapeLayer>(steps);
}

std::unique_ptr<CompiledLayer> CompileReshape(int64_t steps, const InputType& output) {
  return std::make_unique<ReshapeLayer>(steps, output);
}

}  // namespace dl::nn

#include "nn/layers/compiled_activation.h"

#include "nn/conf/kinds.h"
#include "nn/layers/activation_kernels.h"
#include "nn/layers/conversion.h"
#include "nn/layers/own_copy.h"

namespace dl::nn {
namespace {

class ActivationOfLayer : public UnaryLayer {
 public:
  explicit ActivationOfLayer(const ActivationConf& conf) : conf_(conf), traits_(TraitsOf(conf)) {}

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    // A plain layout is needed if f(0) is not 0, because f would fill the padding of a blocked
    // layout. Softmax also needs it, for whole rows.
    const Layout wanted = traits_.keeps_zero ? input.layout : Layout::Plain(input.layout.dims());
    DL_ASSIGN_OR_RETURN(Tensor converted, to_input_.Plan(builder, input, wanted));
    // The backward pass needs either x or f(x). Only f(x) can overwrite x.
    const bool training = builder.purpose() == Purpose::kTraining;
    const bool keeps_input = training && traits_.needs_input;
    kept_ = converted.buffer;
    if (keeps_input) converted.keep = Tensor::Keep::kNeeded;
    output_ = own_output_.Plan(builder, converted);
    if (!keeps_input) kept_ = output_.buffer;
    if (training && !keeps_input) output_.keep = Tensor::Keep::kNeeded;
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    DL_ASSIGN_OR_RETURN(const Tensor converted,
                        to_gradient_.Plan(builder, gradient, output_.layout));
    gradient_ = own_gradient_.Plan(builder, converted);
    builder.arena().Use(kept_);
    return gradient_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_input_.Bind(memory));
    DL_RETURN_IF_ERROR(to_gradient_.Bind(memory));
    own_output_.Bind(memory);
    own_gradient_.Bind(memory);
    y_ = memory.Buffer(output_.buffer);
    kept_values_ = memory.Buffer(kept_);
    dy_ = memory.Buffer(gradient_.buffer);
    shape_ = {.floats = output_.layout.stored_elements(), .rows = output_.layout.dims()[0]};
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_input_.Run());
    own_output_.Run();
    Activate(conf_, y_, shape_);
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_gradient_.Run());
    own_gradient_.Run();
    Derive(conf_, kept_values_, dy_, shape_);
    return absl::OkStatus();
  }

 private:
  ActivationConf conf_;
  ActivationTraits traits_;
  Conversion to_input_, to_gradient_;
  OwnCopy own_output_, own_gradient_;
  Tensor output_, gradient_;
  BufferId kept_ = kNoBuffer;
  float* y_ = nullptr;
  const float* kept_values_ = nullptr;
  float* dy_ = nullptr;
  ActivationRows shape_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileActivation(const ActivationConf& activation) {
  if (activation.kind == ActivationKind::kIdentity) return nullptr;
  return std::make_unique<ActivationOfLayer>(activation);
}

}  // namespace dl::nn

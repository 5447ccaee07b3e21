#include "nn/layers/last_step.h"

#include "nn/kernels/sequences.h"
#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

class LastStepLayer : public UnaryLayer {
 public:
  explicit LastStepLayer(int64_t steps) : steps_(steps) {}

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    const std::vector<int64_t> dims = input.layout.dims();
    shape_ = {.examples = dims[0] / steps_, .steps = steps_, .n = dims[1]};
    DL_ASSIGN_OR_RETURN(input_, to_plain_.Plan(builder, input, Layout::Plain(dims)));
    output_.layout = Layout::Plain(std::vector<int64_t>{shape_.examples, shape_.n});
    output_.buffer = builder.arena().Add(output_.layout.storage_floats());
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    DL_ASSIGN_OR_RETURN(gradient_, to_plain_gradient_.Plan(builder, gradient, output_.layout));
    diff_input_ = {.layout = input_.layout,
                   .buffer = builder.arena().Add(input_.layout.storage_floats())};
    return diff_input_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
    DL_RETURN_IF_ERROR(to_plain_gradient_.Bind(memory));
    x_ = memory.Buffer(input_.buffer);
    y_ = memory.Buffer(output_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    dx_ = memory.Buffer(diff_input_.buffer);
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_.Run());
    TakeLastStep(shape_, x_, y_);
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
    TakeLastStepGradient(shape_, dy_, dx_);
    return absl::OkStatus();
  }

 private:
  int64_t steps_;
  SequenceShape shape_;
  Conversion to_plain_, to_plain_gradient_;
  Tensor input_, output_, gradient_, diff_input_;
  const float* x_ = nullptr;
  float* y_ = nullptr;
  const float* dy_ = nullptr;
  float* dx_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileLastStep(int64_t steps) {
  return std::make_unique<LastStepLayer>(steps);
}

}  // namespace dl::nn

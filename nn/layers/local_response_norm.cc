#include "nn/layers/local_response_norm.h"

#include "nn/kernels/response_norm.h"
#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

class LocalResponseNormLayer : public UnaryLayer {
 public:
  explicit LocalResponseNormLayer(const LocalResponseNorm& conf)
      : norm_{.size = conf.size,
              .alpha = static_cast<float>(conf.alpha),
              .beta = static_cast<float>(conf.beta),
              .k = static_cast<float>(conf.k)} {}

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    const std::vector<int64_t> dims = input.layout.dims();
    norm_.examples = dims[0];
    norm_.channels = dims[1];
    norm_.area = dims[2] * dims[3];
    DL_ASSIGN_OR_RETURN(input_, to_plain_.Plan(builder, input, Layout::Plain(dims)));
    base_ = builder.arena().Add(input_.layout.storage_floats());
    output_ = {.layout = input_.layout,
               .buffer = builder.arena().Add(input_.layout.storage_floats())};
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    for (const BufferId id : {input_.buffer, base_}) builder.arena().Use(id);
    DL_ASSIGN_OR_RETURN(gradient_, to_plain_gradient_.Plan(builder, gradient, output_.layout));
    scratch_ = builder.arena().Add(ResponseNormScratch(norm_));
    diff_input_ = {.layout = output_.layout,
                   .buffer = builder.arena().Add(output_.layout.storage_floats())};
    return diff_input_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_plain_.Bind(memory));
    DL_RETURN_IF_ERROR(to_plain_gradient_.Bind(memory));
    x_ = memory.Buffer(input_.buffer);
    base_values_ = memory.Buffer(base_);
    y_ = memory.Buffer(output_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    dx_ = memory.Buffer(diff_input_.buffer);
    scratch_values_ = memory.Buffer(scratch_);
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_.Run());
    ResponseNormForward(norm_, x_, base_values_, y_);
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
    ResponseNormBackward(norm_, x_, base_values_, dy_, dx_, scratch_values_);
    return absl::OkStatus();
  }

 private:
  ResponseNorm norm_;
  Conversion to_plain_, to_plain_gradient_;
  Tensor input_, output_, gradient_, diff_input_;
  BufferId base_ = kNoBuffer, scratch_ = kNoBuffer;
  const float* x_ = nullptr;
  float* base_values_ = nullptr;
  float* y_ = nullptr;
  const float* dy_ = nullptr;
  float* dx_ = nullptr;
  float* scratch_values_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileLocalResponseNorm(const LocalResponseNorm& conf) {
  return std::make_unique<LocalResponseNormLayer>(conf);
}

}  // namespace dl::nn

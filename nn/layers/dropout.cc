#include "nn/layers/dropout.h"

#include <algorithm>

#include "base/philox.h"
#include "nn/kernels/activations.h"
#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

class DropoutLayer : public CompiledLayer {
 public:
  DropoutLayer(const Dropout& conf, int64_t layer_index)
      : threshold_(DropThreshold(conf.probability)),
        scale_(static_cast<float>(1.0 / (1.0 - conf.probability))),
        layer_index_(layer_index) {}

  StatusOr<Tensor> PlanForward(PlanBuilder& builder, const Tensor& input) override {
    input_ = input;
    builder.arena().Use(input.buffer);
    // The mask is drawn in logical order, then brought into the activation's layout.
    logical_ = Tensor{.layout = Layout::Plain(input.layout.dims())};
    logical_.buffer = builder.arena().Add(logical_.layout.storage_floats());
    DL_ASSIGN_OR_RETURN(mask_, to_mask_.Plan(builder, logical_, input.layout));
    output_ = input;
    if (input.keep == Tensor::Keep::kNeeded)
      output_.buffer = builder.arena().Add(input.layout.storage_floats());
    output_.keep = Tensor::Keep::kFree;
    return output_;
  }

  StatusOr<Tensor> PlanBackward(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    DL_ASSIGN_OR_RETURN(gradient_, to_gradient_.Plan(builder, gradient, output_.layout));
    builder.arena().Use(mask_.buffer);
    return gradient_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_mask_.Bind(memory));
    DL_RETURN_IF_ERROR(to_gradient_.Bind(memory));
    x_ = memory.Buffer(input_.buffer);
    y_ = memory.Buffer(output_.buffer);
    logical_mask_ = memory.Buffer(logical_.buffer);
    mask_values_ = memory.Buffer(mask_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    floats_ = output_.layout.storage_floats();
    elements_ = output_.layout.elements();
    return absl::OkStatus();
  }

  Status Forward(const Pass& pass) override {
    if (x_ != y_) std::copy(x_, x_ + floats_, y_);
    if (!pass.Training()) return absl::OkStatus();
    const RandomStream stream(
        {.seed = pass.seed,
         .purpose = RandomPurpose::kDropout,
         .a = static_cast<uint64_t>(layer_index_) << 32 | static_cast<uint64_t>(pass.epoch),
         .b = static_cast<uint64_t>(pass.round),
         .c = static_cast<uint64_t>(pass.worker) << 32 | static_cast<uint64_t>(pass.step)});
    DropoutMask(stream, threshold_, scale_, logical_mask_, elements_);
    DL_RETURN_IF_ERROR(to_mask_.Run());
    Multiply(mask_values_, y_, floats_);
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    if (dy_ == nullptr) return absl::OkStatus();
    DL_RETURN_IF_ERROR(to_gradient_.Run());
    Multiply(mask_values_, dy_, floats_);
    return absl::OkStatus();
  }

 private:
  uint32_t threshold_;
  float scale_;
  int64_t layer_index_;
  Conversion to_mask_, to_gradient_;
  Tensor input_, output_, logical_, mask_, gradient_;
  const float* x_ = nullptr;
  float* y_ = nullptr;
  float* logical_mask_ = nullptr;
  const float* mask_values_ = nullptr;
  float* dy_ = nullptr;
  int64_t floats_ = 0, elements_ = 0;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileDropout(const Dropout& conf, int64_t layer_index) {
  return std::make_unique<DropoutLayer>(conf, layer_index);
}

}  // namespace dl::nn

#include "nn/layers/dropout.h"

#include "base/philox.h"
#include "nn/kernels/activations.h"
#include "nn/layers/conversion.h"
#include "nn/layers/own_copy.h"

namespace dl::nn {
namespace {

class DropoutLayer : public UnaryLayer {
 public:
  DropoutLayer(const Dropout& conf, int64_t layer_index)
      : threshold_(DropThreshold(conf.probability)),
        scale_(static_cast<float>(1.0 / (1.0 - conf.probability))),
        layer_index_(layer_index) {}

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    builder.arena().Use(input.buffer);
    if (builder.purpose() == Purpose::kInference) return input;
    // The mask is drawn in logical order, then brought into the activation's layout.
    logical_ = Tensor{.layout = Layout::Plain(input.layout.dims())};
    logical_.buffer = builder.arena().Add(logical_.layout.storage_floats());
    DL_ASSIGN_OR_RETURN(mask_, to_mask_.Plan(builder, logical_, input.layout));
    output_ = own_output_.Plan(builder, input);
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    DL_ASSIGN_OR_RETURN(const Tensor converted,
                        to_gradient_.Plan(builder, gradient, output_.layout));
    gradient_ = own_gradient_.Plan(builder, converted);
    builder.arena().Use(mask_.buffer);
    return gradient_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_mask_.Bind(memory));
    DL_RETURN_IF_ERROR(to_gradient_.Bind(memory));
    own_output_.Bind(memory);
    own_gradient_.Bind(memory);
    if (output_.empty()) return absl::OkStatus();
    y_ = memory.Buffer(output_.buffer);
    logical_mask_ = memory.Buffer(logical_.buffer);
    mask_values_ = memory.Buffer(mask_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    floats_ = output_.layout.storage_floats();
    elements_ = output_.layout.elements();
    return absl::OkStatus();
  }

  Status Forward(const Pass& pass) override {
    if (output_.empty()) return absl::OkStatus();
    own_output_.Run();
    const RandomStream stream(
        {.seed = pass.seed,
         .purpose = RandomPurpose::kDropout,
         .a = static_cast<uint64_t>(layer_index_) << 32 | static_cast<uint64_t>(pass.epoch),
         .b = static_cast<uint64_t>(pass.round),
         .c = static_cast<uint64_t>(pass.worker) << 32 | static_cast<uint64_t>(pass.step)});
    DropoutMask(stream, threshold_, scale_, logical_mask_, elements_);
    DL_RETURN_IF_ERROR(to_mask_.Run());
    MultiplyBy(mask_values_, y_, floats_);
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_gradient_.Run());
    own_gradient_.Run();
    MultiplyBy(mask_values_, dy_, floats_);
    return absl::OkStatus();
  }

 private:
  uint32_t threshold_;
  float scale_;
  int64_t layer_index_;
  Conversion to_mask_, to_gradient_;
  OwnCopy own_output_, own_gradient_;
  Tensor output_, logical_, mask_, gradient_;  // none of a plan for inference
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

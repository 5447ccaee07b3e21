#include "nn/layers/activation.h"

#include "nn/conf/kinds.h"
#include "nn/kernels/activations.h"
#include "nn/kernels/rows.h"
#include "nn/layers/conversion.h"
#include "nn/layers/own_copy.h"

namespace dl::nn {
namespace {

class ActivationOfLayer : public UnaryLayer {
 public:
  explicit ActivationOfLayer(const ActivationConf& conf) : conf_(conf) {}

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    // f(0) is not 0 for these two: they would fill the padding of a blocked layout, and softmax
    // needs whole rows.
    const bool needs_plain =
        conf_.kind == ActivationKind::kSoftmax || conf_.kind == ActivationKind::kSigmoid;
    const Layout wanted = needs_plain ? Layout::Plain(input.layout.dims()) : input.layout;
    DL_ASSIGN_OR_RETURN(const Tensor converted, to_input_.Plan(builder, input, wanted));
    output_ = own_output_.Plan(builder, converted);
    if (builder.purpose() == Purpose::kTraining) output_.keep = Tensor::Keep::kNeeded;
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    DL_ASSIGN_OR_RETURN(const Tensor converted,
                        to_gradient_.Plan(builder, gradient, output_.layout));
    gradient_ = own_gradient_.Plan(builder, converted);
    builder.arena().Use(output_.buffer);
    return gradient_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_input_.Bind(memory));
    DL_RETURN_IF_ERROR(to_gradient_.Bind(memory));
    own_output_.Bind(memory);
    own_gradient_.Bind(memory);
    y_ = memory.Buffer(output_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    floats_ = output_.layout.storage_floats();
    rows_ = output_.layout.dims()[0];
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_input_.Run());
    own_output_.Run();
    switch (conf_.kind) {
      case ActivationKind::kIdentity:
        break;
      case ActivationKind::kRelu:
        ReluForward(y_, floats_);
        break;
      case ActivationKind::kLeakyRelu:
        LeakyReluForward(y_, floats_, static_cast<float>(conf_.alpha));
        break;
      case ActivationKind::kTanh:
        TanhForward(y_, floats_);
        break;
      case ActivationKind::kSigmoid:
        SigmoidForward(y_, floats_);
        break;
      case ActivationKind::kSoftmax:
        SoftmaxForward(y_, rows_, floats_ / rows_);
        break;
    }
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_gradient_.Run());
    own_gradient_.Run();
    switch (conf_.kind) {
      case ActivationKind::kIdentity:
        break;
      case ActivationKind::kRelu:
        ReluBackward(y_, dy_, floats_);
        break;
      case ActivationKind::kLeakyRelu:
        LeakyReluBackward(y_, dy_, floats_, static_cast<float>(conf_.alpha));
        break;
      case ActivationKind::kTanh:
        TanhBackward(y_, dy_, floats_);
        break;
      case ActivationKind::kSigmoid:
        SigmoidBackward(y_, dy_, floats_);
        break;
      case ActivationKind::kSoftmax:
        SoftmaxBackward(y_, dy_, rows_, floats_ / rows_);
        break;
    }
    return absl::OkStatus();
  }

 private:
  ActivationConf conf_;
  Conversion to_input_, to_gradient_;
  OwnCopy own_output_, own_gradient_;
  Tensor output_, gradient_;
  float* y_ = nullptr;
  float* dy_ = nullptr;
  int64_t floats_ = 0, rows_ = 1;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileActivation(const ActivationConf& activation) {
  if (activation.kind == ActivationKind::kIdentity) return nullptr;
  return std::make_unique<ActivationOfLayer>(activation);
}

bool IsNonDecreasing(const ActivationConf& activation) {
  switch (activation.kind) {
    case ActivationKind::kIdentity:
    case ActivationKind::kRelu:
    case ActivationKind::kTanh:
    case ActivationKind::kSigmoid:
      return true;
    case ActivationKind::kLeakyRelu:
      return activation.alpha >= 0;
    case ActivationKind::kSoftmax:
      return false;
  }
  return false;
}

}  // namespace dl::nn

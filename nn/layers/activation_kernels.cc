#include "nn/layers/activation_kernels.h"

#include "nn/conf/kinds.h"
#include "nn/kernels/activations.h"
#include "nn/kernels/hard_activations.h"
#include "nn/kernels/row_kernels.h"
#include "nn/kernels/smooth_activations.h"

namespace dl::nn {

void Activate(const ActivationConf& activation, float* y, const ActivationRows& shape) {
  switch (activation.kind) {
    case ActivationKind::kIdentity:
      return;
    case ActivationKind::kSoftmax:
      return SoftmaxForward(y, shape.rows, shape.floats / shape.rows);
    case ActivationKind::kRelu:
      return ReluForward(y, shape.floats);
    case ActivationKind::kLeakyRelu:
      return LeakyReluForward(y, shape.floats, static_cast<float>(activation.alpha));
    case ActivationKind::kTanh:
      return TanhForward(y, shape.floats);
    case ActivationKind::kSigmoid:
      return SigmoidForward(y, shape.floats);
    case ActivationKind::kGelu:
      return GeluForward(y, shape.floats);
    case ActivationKind::kGeluTanh:
      return GeluTanhForward(y, shape.floats);
    case ActivationKind::kSilu:
      return SiluForward(y, shape.floats);
    case ActivationKind::kMish:
      return MishForward(y, shape.floats);
    case ActivationKind::kElu:
      return EluForward(y, shape.floats, static_cast<float>(activation.alpha));
    case ActivationKind::kSelu:
      return SeluForward(y, shape.floats);
    case ActivationKind::kSoftplus:
      return SoftplusForward(y, shape.floats);
    case ActivationKind::kSoftsign:
      return SoftsignForward(y, shape.floats);
    case ActivationKind::kHardSigmoid:
      return HardSigmoidForward(y, shape.floats);
    case ActivationKind::kHardSwish:
      return HardSwishForward(y, shape.floats);
    case ActivationKind::kRelu6:
      return Relu6Forward(y, shape.floats);
  }
}

void Derive(const ActivationConf& activation, const float* kept, float* dy,
            const ActivationRows& shape) {
  switch (activation.kind) {
    case ActivationKind::kIdentity:
      return;
    case ActivationKind::kSoftmax:
      return SoftmaxBackward(kept, dy, shape.rows, shape.floats / shape.rows);
    case ActivationKind::kRelu:
      return ReluBackward(kept, dy, shape.floats);
    case ActivationKind::kLeakyRelu:
      return LeakyReluBackward(kept, dy, shape.floats, static_cast<float>(activation.alpha));
    case ActivationKind::kTanh:
      return TanhBackward(kept, dy, shape.floats);
    case ActivationKind::kSigmoid:
      return SigmoidBackward(kept, dy, shape.floats);
    case ActivationKind::kGelu:
      return GeluBackward(kept, dy, shape.floats);
    case ActivationKind::kGeluTanh:
      return GeluTanhBackward(kept, dy, shape.floats);
    case ActivationKind::kSilu:
      return SiluBackward(kept, dy, shape.floats);
    case ActivationKind::kMish:
      return MishBackward(kept, dy, shape.floats);
    case ActivationKind::kElu:
      return EluBackward(kept, dy, shape.floats, static_cast<float>(activation.alpha));
    case ActivationKind::kSelu:
      return SeluBackward(kept, dy, shape.floats);
    case ActivationKind::kSoftplus:
      return SoftplusBackward(kept, dy, shape.floats);
    case ActivationKind::kSoftsign:
      return SoftsignBackward(kept, dy, shape.floats);
    case ActivationKind::kHardSigmoid:
      return HardSigmoidBackward(kept, dy, shape.floats);
    case ActivationKind::kHardSwish:
      return HardSwishBackward(kept, dy, shape.floats);
    case ActivationKind::kRelu6:
      return Relu6Backward(kept, dy, shape.floats);
  }
}

}  // namespace dl::nn

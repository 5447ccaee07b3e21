#include "nn/layers/activation_kernels.h"

#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "nn/backend/parallel_for.h"
#include "nn/conf/kinds.h"
#include "nn/kernels/activations.h"
#include "nn/kernels/bf16.h"
#include "nn/kernels/hard_activations.h"
#include "nn/kernels/row_kernels.h"
#include "nn/kernels/smooth_activations.h"

namespace dl::nn {

namespace {

// Softmax needs whole rows and has no case here.
void ActivateValues(const ActivationConf& activation, float* y, int64_t n) {
  switch (activation.kind) {
    case ActivationKind::kIdentity:
    case ActivationKind::kSoftmax:
      return;
    case ActivationKind::kRelu:
      return ReluForward(y, n);
    case ActivationKind::kLeakyRelu:
      return LeakyReluForward(y, n, static_cast<float>(activation.alpha));
    case ActivationKind::kTanh:
      return TanhForward(y, n);
    case ActivationKind::kSigmoid:
      return SigmoidForward(y, n);
    case ActivationKind::kGelu:
      return GeluForward(y, n);
    case ActivationKind::kGeluTanh:
      return GeluTanhForward(y, n);
    case ActivationKind::kSilu:
      return SiluForward(y, n);
    case ActivationKind::kMish:
      return MishForward(y, n);
    case ActivationKind::kElu:
      return EluForward(y, n, static_cast<float>(activation.alpha));
    case ActivationKind::kSelu:
      return SeluForward(y, n);
    case ActivationKind::kSoftplus:
      return SoftplusForward(y, n);
    case ActivationKind::kSoftsign:
      return SoftsignForward(y, n);
    case ActivationKind::kHardSigmoid:
      return HardSigmoidForward(y, n);
    case ActivationKind::kHardSwish:
      return HardSwishForward(y, n);
    case ActivationKind::kRelu6:
      return Relu6Forward(y, n);
  }
}

void DeriveValues(const ActivationConf& activation, const float* kept, float* dy, int64_t n) {
  switch (activation.kind) {
    case ActivationKind::kIdentity:
    case ActivationKind::kSoftmax:
      return;
    case ActivationKind::kRelu:
      return ReluBackward(kept, dy, n);
    case ActivationKind::kLeakyRelu:
      return LeakyReluBackward(kept, dy, n, static_cast<float>(activation.alpha));
    case ActivationKind::kTanh:
      return TanhBackward(kept, dy, n);
    case ActivationKind::kSigmoid:
      return SigmoidBackward(kept, dy, n);
    case ActivationKind::kGelu:
      return GeluBackward(kept, dy, n);
    case ActivationKind::kGeluTanh:
      return GeluTanhBackward(kept, dy, n);
    case ActivationKind::kSilu:
      return SiluBackward(kept, dy, n);
    case ActivationKind::kMish:
      return MishBackward(kept, dy, n);
    case ActivationKind::kElu:
      return EluBackward(kept, dy, n, static_cast<float>(activation.alpha));
    case ActivationKind::kSelu:
      return SeluBackward(kept, dy, n);
    case ActivationKind::kSoftplus:
      return SoftplusBackward(kept, dy, n);
    case ActivationKind::kSoftsign:
      return SoftsignBackward(kept, dy, n);
    case ActivationKind::kHardSigmoid:
      return HardSigmoidBackward(kept, dy, n);
    case ActivationKind::kHardSwish:
      return HardSwishBackward(kept, dy, n);
    case ActivationKind::kRelu6:
      return Relu6Backward(kept, dy, n);
  }
}

}  // namespace

void Activate(const ActivationConf& activation, float* y, const ActivationRows& shape) {
  if (activation.kind == ActivationKind::kIdentity) return;
  if (activation.kind == ActivationKind::kSoftmax) {
    const int64_t n = shape.floats / shape.rows;
    return ForRows(shape.rows, n, [&](int64_t begin, int64_t end) {
      SoftmaxForward(y + begin * n, end - begin, n);
    });
  }
  ForElements(shape.floats, [&](int64_t begin, int64_t end) {
    ActivateValues(activation, y + begin, end - begin);
  });
}

void Derive(const ActivationConf& activation, const float* kept, float* dy,
            const ActivationRows& shape) {
  if (activation.kind == ActivationKind::kIdentity) return;
  if (activation.kind == ActivationKind::kSoftmax) {
    const int64_t n = shape.floats / shape.rows;
    return ForRows(shape.rows, n, [&](int64_t begin, int64_t end) {
      SoftmaxBackward(kept + begin * n, dy + begin * n, end - begin, n);
    });
  }
  ForElements(shape.floats, [&](int64_t begin, int64_t end) {
    DeriveValues(activation, kept + begin, dy + begin, end - begin);
  });
}

std::shared_ptr<const Bf16Table> TableOf(const ActivationConf& activation) {
  switch (activation.kind) {
    case ActivationKind::kGelu:
    case ActivationKind::kGeluTanh:
    case ActivationKind::kSilu:
    case ActivationKind::kMish:
    case ActivationKind::kElu:
    case ActivationKind::kSelu:
    case ActivationKind::kSoftplus:
      break;
    default:
      return nullptr;
  }
  static Mutex mutex;
  static auto& tables =
      *new std::map<std::pair<ActivationKind, double>, std::shared_ptr<const Bf16Table>>;
  const MutexLock lock(mutex);
  std::shared_ptr<const Bf16Table>& table = tables[{activation.kind, activation.alpha}];
  if (table != nullptr) return table;
  std::vector<uint16_t> all(Bf16Table::kValues);
  std::iota(all.begin(), all.end(), uint16_t{0});
  std::vector<float> inputs(all.size()), slopes(all.size(), 1.0f);
  WidenBf16(all.data(), inputs.data(), Bf16Table::kValues);
  std::vector<float> values = inputs;
  Activate(activation, values.data(), {.floats = Bf16Table::kValues});
  Derive(activation, inputs.data(), slopes.data(), {.floats = Bf16Table::kValues});
  table = std::make_shared<const Bf16Table>(values, std::move(slopes));
  return table;
}

}  // namespace dl::nn

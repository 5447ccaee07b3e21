#include "nn/layers/compiled_activation.h"

#include <algorithm>

#include "nn/backend/parallel_for.h"
#include "nn/conf/kinds.h"
#include "nn/kernels/bf16.h"
#include "nn/layers/activation_kernels.h"
#include "nn/layers/conversion.h"
#include "nn/layers/own_copy.h"

namespace dl::nn {
namespace {

class ActivationOfLayer : public UnaryLayer {
 public:
  explicit ActivationOfLayer(const ActivationConf& conf) : conf_(conf), traits_(TraitsOf(conf)) {}

  // Softmax needs whole rows in float32.
  Bf16Support SupportOfBf16() const override {
    return conf_.kind == ActivationKind::kSoftmax ? Bf16Support::kNone : Bf16Support::kKeeps;
  }

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    if (input.layout.type() == DataType::kBf16) table_ = TableOf(conf_);
    // A plain layout is needed if f(0) is not 0, because f would fill the padding of a blocked
    // layout. Softmax also needs it, for whole rows.
    const Layout wanted =
        traits_.keeps_zero ? input.layout : Layout::Plain(input.layout.dims(), input.layout.type());
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
    y_ = memory.Untyped(output_.buffer);
    kept_values_ = memory.Untyped(kept_);
    dy_ = memory.Untyped(gradient_.buffer);
    shape_ = {.floats = output_.layout.stored_elements(), .rows = output_.layout.dims()[0]};
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_input_.Run());
    if (conf_.kind == ActivationKind::kSoftmax) {
      own_output_.Run();
      Activate(conf_, static_cast<float*>(y_), shape_);
      return absl::OkStatus();
    }
    // A piece is copied and computed while it is in the first cache.
    constexpr int64_t kPiece = 2048;
    const auto bytes = static_cast<int64_t>(IsBf16() ? sizeof(uint16_t) : sizeof(float));
    ForElements(shape_.floats, [&](int64_t begin, int64_t end) {
      for (int64_t first = begin; first < end; first += kPiece) {
        const int64_t last = std::min(end, first + kPiece);
        own_output_.RunPart(first * bytes, last * bytes);
        if (IsBf16()) {
          ActivateBf16(static_cast<uint16_t*>(y_) + first, last - first);
        } else {
          Activate(conf_, static_cast<float*>(y_) + first, {.floats = last - first});
        }
      }
    });
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_gradient_.Run());
    own_gradient_.Run();
    if (IsBf16()) {
      DeriveBf16(static_cast<const uint16_t*>(kept_values_), static_cast<uint16_t*>(dy_));
    } else {
      Derive(conf_, static_cast<const float*>(kept_values_), static_cast<float*>(dy_), shape_);
    }
    return absl::OkStatus();
  }

 private:
  bool IsBf16() const { return output_.layout.type() == DataType::kBf16; }
  void ActivateBf16(uint16_t* y, int64_t n) const {
    if (table_ != nullptr) return table_->Apply(y, n);
    InFloat32(y, n, [&](int64_t, float* piece, int64_t of_piece) {
      Activate(conf_, piece, {.floats = of_piece});
    });
  }
  void DeriveBf16(const uint16_t* kept, uint16_t* dy) const {
    ForElements(shape_.floats, [&](int64_t begin, int64_t end) {
      if (table_ != nullptr) return table_->Derive(kept + begin, dy + begin, end - begin);
      InFloat32(dy + begin, end - begin, [&](int64_t first, float* piece, int64_t n) {
        alignas(64) float values[kBf16Piece];
        WidenBf16(kept + begin + first, values, n);
        Derive(conf_, values, piece, {.floats = n});
      });
    });
  }

  ActivationConf conf_;
  std::shared_ptr<const Bf16Table> table_;  // null if the activation is computed in float32
  ActivationTraits traits_;
  Conversion to_input_, to_gradient_;
  OwnCopy own_output_, own_gradient_;
  Tensor output_, gradient_;
  BufferId kept_ = kNoBuffer;
  void* y_ = nullptr;
  const void* kept_values_ = nullptr;
  void* dy_ = nullptr;
  ActivationRows shape_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileActivation(const ActivationConf& activation) {
  if (activation.kind == ActivationKind::kIdentity) return nullptr;
  return std::make_unique<ActivationOfLayer>(activation);
}

}  // namespace dl::nn

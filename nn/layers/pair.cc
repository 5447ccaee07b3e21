#include "nn/layers/pair.h"

#include <array>

#include "nn/kernels/pairs.h"
#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

class PairLayer : public CompiledLayer {
 public:
  explicit PairLayer(PairOf pair) : pair_(pair) {}

  StatusOr<std::vector<Tensor>> PlanForward(PlanBuilder& builder,
                                            std::span<const Tensor> inputs) override {
    plain_ = Layout::Plain(inputs.front().layout.dims());
    for (size_t i = 0; i < parts_.size(); ++i) {
      DL_ASSIGN_OR_RETURN(parts_[i].input, parts_[i].to_plain.Plan(builder, inputs[i], plain_));
    }
    output_ = {.layout = plain_, .buffer = builder.arena().Add(plain_.storage_floats())};
    return std::vector<Tensor>{output_};
  }

  StatusOr<std::vector<Tensor>> PlanBackward(PlanBuilder& builder,
                                             std::span<const Tensor> gradients,
                                             std::span<const InputGradient>) override {
    DL_ASSIGN_OR_RETURN(gradient_, to_plain_gradient_.Plan(builder, gradients.front(), plain_));
    std::vector<Tensor> by_inputs;
    for (Part& part : parts_) {
      if (pair_ == PairOf::kProduct) builder.arena().Use(part.input.buffer);
      part.gradient = {.layout = plain_, .buffer = builder.arena().Add(plain_.storage_floats())};
      by_inputs.push_back(part.gradient);
    }
    return by_inputs;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_plain_gradient_.Bind(memory));
    y_ = memory.Buffer(output_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    for (Part& part : parts_) {
      DL_RETURN_IF_ERROR(part.to_plain.Bind(memory));
      part.x = memory.Buffer(part.input.buffer);
      part.dx = memory.Buffer(part.gradient.buffer);
    }
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override {
    for (const Part& part : parts_) DL_RETURN_IF_ERROR(part.to_plain.Run());
    const auto of = pair_ == PairOf::kMean ? MeanOf : ProductOf;
    of(parts_[0].x, parts_[1].x, y_, plain_.elements());
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (pair_ == PairOf::kMean) {
        HalfOf(dy_, parts_[i].dx, plain_.elements());
      } else {
        ProductOf(dy_, parts_[1 - i].x, parts_[i].dx, plain_.elements());
      }
    }
    return absl::OkStatus();
  }

 private:
  struct Part {
    Conversion to_plain;
    Tensor input, gradient;
    const float* x = nullptr;
    float* dx = nullptr;
  };

  PairOf pair_;
  Layout plain_;
  std::array<Part, 2> parts_;
  Conversion to_plain_gradient_;
  Tensor output_, gradient_;
  float* y_ = nullptr;
  const float* dy_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompilePair(PairOf pair) {
  return std::make_unique<PairLayer>(pair);
}

}  // namespace dl::nn

#include "nn/layers/elementwise.h"

#include <algorithm>

#include "nn/kernels/elementwise.h"
#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

// Everything in the layout of the first input.
class ElementwiseLayer : public CompiledLayer {
 public:
  StatusOr<std::vector<Tensor>> PlanForward(PlanBuilder& builder,
                                            std::span<const Tensor> inputs) override {
    layout_ = inputs.front().layout;
    parts_ = std::vector<Part>(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      DL_ASSIGN_OR_RETURN(parts_[i].input, parts_[i].to_layout.Plan(builder, inputs[i], layout_));
    }
    output_ = NewTensor(builder);
    PlanMore(builder);
    return std::vector<Tensor>{output_};
  }

  StatusOr<std::vector<Tensor>> PlanBackward(PlanBuilder& builder,
                                             std::span<const Tensor> gradients,
                                             std::span<const InputGradient> inputs) override {
    DL_ASSIGN_OR_RETURN(gradient_, gradient_to_layout_.Plan(builder, gradients.front(), layout_));
    return PlanInputGradients(builder, inputs);
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(gradient_to_layout_.Bind(memory));
    y_ = memory.Buffer(output_.buffer);
    dy_ = memory.Buffer(gradient_.buffer);
    for (Part& part : parts_) {
      DL_RETURN_IF_ERROR(part.to_layout.Bind(memory));
      part.x = memory.Buffer(part.input.buffer);
      part.dx = memory.Buffer(part.gradient.buffer);
    }
    BindMore(memory);
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override {
    for (const Part& part : parts_) DL_RETURN_IF_ERROR(part.to_layout.Run());
    Compute(layout_.storage_floats());
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(gradient_to_layout_.Run());
    ComputeGradients(layout_.storage_floats());
    return absl::OkStatus();
  }

 protected:
  struct Part {
    Conversion to_layout;
    Tensor input, gradient;
    const float* x = nullptr;
    float* dx = nullptr;  // none where nobody needs it
  };

  // Plans what lies between the inputs and the output.
  virtual void PlanMore(PlanBuilder&) {}
  // Says what is used again. By default each input that needs one has a gradient of its own.
  virtual std::vector<Tensor> PlanInputGradients(PlanBuilder& builder,
                                                 std::span<const InputGradient> inputs) {
    std::vector<Tensor> by_inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == InputGradient::kNeeded) parts_[i].gradient = NewTensor(builder);
      by_inputs.push_back(parts_[i].gradient);
    }
    return by_inputs;
  }
  virtual void BindMore(const PlanMemory&) {}
  virtual void Compute(int64_t n) = 0;
  virtual void ComputeGradients(int64_t n) = 0;

  Tensor NewTensor(PlanBuilder& builder) const {
    return {.layout = layout_, .buffer = builder.arena().Add(layout_.storage_floats())};
  }
  std::vector<Part>& parts() { return parts_; }
  float* y() const { return y_; }
  const float* dy() const { return dy_; }

 private:
  Layout layout_;
  std::vector<Part> parts_;
  Conversion gradient_to_layout_;
  Tensor output_, gradient_;
  float* y_ = nullptr;
  const float* dy_ = nullptr;
};

class MultiplyLayer : public ElementwiseLayer {
  std::vector<Tensor> PlanInputGradients(PlanBuilder& builder,
                                         std::span<const InputGradient> inputs) override {
    for (const Part& part : parts()) builder.arena().Use(part.input.buffer);
    return ElementwiseLayer::PlanInputGradients(builder, inputs);
  }

  void Compute(int64_t n) override {
    ProductOf(parts()[0].x, parts()[1].x, y(), n);
    for (size_t i = 2; i < parts().size(); ++i) ProductOf(y(), parts()[i].x, y(), n);
  }

  // Of each input the product of all others anew: the output divided by it would be none at 0.
  void ComputeGradients(int64_t n) override {
    for (size_t i = 0; i < parts().size(); ++i) {
      float* const dx = parts()[i].dx;
      const float* product = dy();
      for (size_t other = 0; dx != nullptr && other < parts().size(); ++other) {
        if (other == i) continue;
        ProductOf(product, parts()[other].x, dx, n);
        product = dx;
      }
    }
  }
};

class AverageLayer : public ElementwiseLayer {
  // One for all inputs, which nobody may overwrite when several read it.
  std::vector<Tensor> PlanInputGradients(PlanBuilder& builder,
                                         std::span<const InputGradient> inputs) override {
    Tensor gradient = NewTensor(builder);
    parts().front().gradient = gradient;
    if (std::count(inputs.begin(), inputs.end(), InputGradient::kNeeded) > 1)
      gradient.keep = Tensor::Keep::kNeeded;
    return std::vector<Tensor>(inputs.size(), gradient);
  }

  void Compute(int64_t n) override {
    const size_t last = parts().size() - 1;
    const float* sum = parts()[0].x;
    for (size_t i = 1; i <= last; ++i) {
      ScaledSumOf(sum, parts()[i].x, i == last ? Share() : 1.0f, y(), n);
      sum = y();
    }
  }

  void ComputeGradients(int64_t n) override { ScaledBy(dy(), Share(), parts().front().dx, n); }

  float Share() { return static_cast<float>(1.0 / static_cast<double>(parts().size())); }
};

class MaximumLayer : public ElementwiseLayer {
  void PlanMore(PlanBuilder& builder) override { of_ = NewTensor(builder); }

  std::vector<Tensor> PlanInputGradients(PlanBuilder& builder,
                                         std::span<const InputGradient> inputs) override {
    builder.arena().Use(of_.buffer);
    return ElementwiseLayer::PlanInputGradients(builder, inputs);
  }

  void BindMore(const PlanMemory& memory) override { of_values_ = memory.Buffer(of_.buffer); }

  void Compute(int64_t n) override {
    std::copy_n(parts()[0].x, n, y());
    std::fill_n(of_values_, n, 0.0f);
    for (size_t i = 1; i < parts().size(); ++i)
      MaximumWith(parts()[i].x, static_cast<float>(i), y(), of_values_, n);
  }

  void ComputeGradients(int64_t n) override {
    for (size_t i = 0; i < parts().size(); ++i) {
      if (parts()[i].dx == nullptr) continue;
      GradientOfMaximum(dy(), of_values_, static_cast<float>(i), parts()[i].dx, n);
    }
  }

  Tensor of_;  // by its number, the input that has the largest value
  float* of_values_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileMultiply() { return std::make_unique<MultiplyLayer>(); }
std::unique_ptr<CompiledLayer> CompileAverage() { return std::make_unique<AverageLayer>(); }
std::unique_ptr<CompiledLayer> CompileMaximum() { return std::make_unique<MaximumLayer>(); }

}  // namespace dl::nn

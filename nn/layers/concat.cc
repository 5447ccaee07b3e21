#include "nn/layers/concat.h"

#include <algorithm>

#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

// [n, c, ...] of several c: in row-major order each example's values lie behind one another.
class ConcatLayer : public CompiledLayer {
 public:
  StatusOr<std::vector<Tensor>> PlanForward(PlanBuilder& builder,
                                            std::span<const Tensor> inputs) override {
    std::vector<int64_t> dims = inputs.front().layout.dims();
    rows_ = dims[0];
    dims[1] = 0;
    parts_ = std::vector<Part>(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      Part& part = parts_[i];
      part.plain = Layout::Plain(inputs[i].layout.dims());
      DL_ASSIGN_OR_RETURN(part.input, part.to_plain.Plan(builder, inputs[i], part.plain));
      part.row = part.plain.elements() / rows_;
      dims[1] += part.plain.dims()[1];
      row_ += part.row;
    }
    output_.layout = Layout::Plain(dims);
    output_.buffer = builder.arena().Add(output_.layout.storage_floats());
    return std::vector<Tensor>{output_};
  }

  StatusOr<std::vector<Tensor>> PlanBackward(PlanBuilder& builder,
                                             std::span<const Tensor> gradients,
                                             std::span<const InputGradient> inputs) override {
    DL_ASSIGN_OR_RETURN(gradient_,
                        to_plain_gradient_.Plan(builder, gradients.front(), output_.layout));
    std::vector<Tensor> by_inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      Part& part = parts_[i];
      if (inputs[i] == InputGradient::kNeeded) {
        part.gradient.layout = part.plain;
        part.gradient.buffer = builder.arena().Add(part.plain.storage_floats());
      }
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
    int64_t begin = 0;
    for (const Part& part : parts_) {
      DL_RETURN_IF_ERROR(part.to_plain.Run());
      for (int64_t r = 0; r < rows_; ++r)
        std::copy_n(part.x + r * part.row, part.row, y_ + r * row_ + begin);
      begin += part.row;
    }
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_plain_gradient_.Run());
    int64_t begin = 0;
    for (const Part& part : parts_) {
      for (int64_t r = 0; part.dx != nullptr && r < rows_; ++r)
        std::copy_n(dy_ + r * row_ + begin, part.row, part.dx + r * part.row);
      begin += part.row;
    }
    return absl::OkStatus();
  }

 private:
  struct Part {
    Layout plain;
    Conversion to_plain;
    Tensor input, gradient;  // no gradient where nobody needs it
    int64_t row = 0;         // values of one example
    const float* x = nullptr;
    float* dx = nullptr;
  };

  std::vector<Part> parts_;
  Tensor output_, gradient_;
  Conversion to_plain_gradient_;
  int64_t rows_ = 0, row_ = 0;
  float* y_ = nullptr;
  const float* dy_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileConcat() { return std::make_unique<ConcatLayer>(); }

}  // namespace dl::nn

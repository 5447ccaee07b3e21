#include "nn/layers/compiled_global_pool1d.h"

#include "nn/kernels/sequence_kernels.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class GlobalPool1DLayer : public PlainRowsLayer {
 public:
  explicit GlobalPool1DLayer(const InputType& input)
      : steps_(input.Steps()), variable_length_(input.variable_length) {}

 protected:
  const SequenceShape& shape() const { return shape_; }

 private:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder&, const std::vector<int64_t>& input) final {
    shape_ = {.examples = input[0] / steps_, .steps = steps_, .n = input[1]};
    return std::vector<int64_t>{shape_.examples, shape_.n};
  }
  Status BindRows(const PlanMemory& memory) final {
    shape_.lengths = variable_length_ ? memory.Lengths() : nullptr;
    return absl::OkStatus();
  }

  int64_t steps_;
  bool variable_length_;
  SequenceShape shape_;
};

class GlobalAvgPool1DLayer : public GlobalPool1DLayer {
 public:
  using GlobalPool1DLayer::GlobalPool1DLayer;

 private:
  Status PlanRowsGradient(PlanBuilder&) override { return absl::OkStatus(); }
  Status ForwardRows() override {
    MeanOverSteps(shape(), x(), y());
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    MeanOverStepsGradient(shape(), dy(), dx());
    return absl::OkStatus();
  }
};

class GlobalMaxPool1DLayer : public GlobalPool1DLayer {
 public:
  using GlobalPool1DLayer::GlobalPool1DLayer;

 private:
  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    return absl::OkStatus();
  }
  Status ForwardRows() override {
    LargestOfSteps(shape(), x(), y());
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    LargestOfStepsGradient(shape(), x(), dy(), dx());
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileGlobalAvgPool1D(const InputType& input) {
  return std::make_unique<GlobalAvgPool1DLayer>(input);
}
std::unique_ptr<CompiledLayer> CompileGlobalMaxPool1D(const InputType& input) {
  return std::make_unique<GlobalMaxPool1DLayer>(input);
}

}  // namespace dl::nn

#include "nn/layers/compiled_global_pool1d.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/sequence_kernels.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class GlobalPool1DLayer : public PlainRowsLayer {
 public:
  explicit GlobalPool1DLayer(const InputType& input)
      : steps_(input.Steps()), variable_length_(input.variable_length) {}

 protected:
  // The arrays of some of the examples. dy and dx are null in a forward step.
  struct Examples {
    SequenceShape shape;
    const float* x;
    float* y;
    const float* dy;
    float* dx;
  };
  virtual void Pool(const Examples& examples) const = 0;
  virtual void PoolGradient(const Examples& examples) const = 0;

 private:
  Status ForwardRows() final {
    ForRows(shape_.examples, steps_ * shape_.n, [&](int64_t begin, int64_t end) {
      Pool(Slice({begin, end}));
    });
    return absl::OkStatus();
  }
  Status BackwardRows() final {
    ForRows(shape_.examples, steps_ * shape_.n, [&](int64_t begin, int64_t end) {
      PoolGradient(Slice({begin, end}));
    });
    return absl::OkStatus();
  }
  Examples Slice(IndexRange range) const {
    const int64_t of_steps = range.begin * steps_ * shape_.n, of_rows = range.begin * shape_.n;
    return {.shape = shape_.Slice(range),
            .x = x() + of_steps,
            .y = y() + of_rows,
            .dy = dy() == nullptr ? nullptr : dy() + of_rows,
            .dx = dx() == nullptr ? nullptr : dx() + of_steps};
  }
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
  void Pool(const Examples& some) const override { MeanOverSteps(some.shape, some.x, some.y); }
  void PoolGradient(const Examples& some) const override {
    MeanOverStepsGradient(some.shape, some.dy, some.dx);
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
  void Pool(const Examples& some) const override { LargestOfSteps(some.shape, some.x, some.y); }
  void PoolGradient(const Examples& some) const override {
    LargestOfStepsGradient(some.shape, some.x, some.dy, some.dx);
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

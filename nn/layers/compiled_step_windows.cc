#include "nn/layers/compiled_step_windows.h"

#include <algorithm>

#include "nn/backend/parallel_for.h"
#include "nn/kernels/step_window_kernels.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

// Base of layers over steps.
class StepLayer : public PlainRowsLayer {
 public:
  StepLayer(const InputType& input, const StepWindows& windows)
      : steps_(input.Steps()), windows_(windows) {}

 protected:
  // Computes y from x, or dx from dy, for some of the examples.
  virtual void Compute(const StepWindows& windows, const float* x, float* y) const = 0;
  virtual void ComputeGradient(const StepWindows& windows, const float* x, const float* dy,
                               float* dx) const = 0;

 private:
  Status ForwardRows() final {
    ForRows(windows_.steps.examples, InSize(), [&](int64_t begin, int64_t end) {
      Compute(Slice({begin, end}), x() + begin * InSize(), y() + begin * OutSize());
    });
    return absl::OkStatus();
  }
  Status BackwardRows() final {
    ForRows(windows_.steps.examples, InSize(), [&](int64_t begin, int64_t end) {
      ComputeGradient(Slice({begin, end}), x() + begin * InSize(), dy() + begin * OutSize(),
                      dx() + begin * InSize());
    });
    return absl::OkStatus();
  }
  StepWindows Slice(IndexRange range) const {
    StepWindows slice = windows_;
    slice.steps = windows_.steps.Slice(range);
    return slice;
  }
  // Values of an example.
  int64_t InSize() const { return steps_ * windows_.steps.n; }
  int64_t OutSize() const { return windows_.windows * windows_.steps.n; }

  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder&, const std::vector<int64_t>& input) final {
    windows_.steps = {.examples = input[0] / steps_, .steps = steps_, .n = input[1]};
    return std::vector<int64_t>{windows_.steps.examples * windows_.windows, input[1]};
  }
  Status BindRows(const PlanMemory& memory) final {
    windows_.steps.lengths = memory.Lengths();
    return absl::OkStatus();
  }

  int64_t steps_;
  StepWindows windows_;
};

class StepMaskLayer : public StepLayer {
 public:
  using StepLayer::StepLayer;

 private:
  Status PlanRowsGradient(PlanBuilder&) override { return absl::OkStatus(); }
  void Compute(const StepWindows& windows, const float* x, float* y) const override {
    std::copy_n(x, windows.steps.examples * windows.steps.steps * windows.steps.n, y);
    ClearPadding(windows.steps, y);
  }
  void ComputeGradient(const StepWindows& windows, const float* /*x*/, const float* dy,
                       float* dx) const override {
    Compute(windows, dy, dx);
  }
};

class StepAvgPoolLayer : public StepLayer {
 public:
  using StepLayer::StepLayer;

 private:
  Status PlanRowsGradient(PlanBuilder&) override { return absl::OkStatus(); }
  void Compute(const StepWindows& windows, const float* x, float* y) const override {
    MeanOfWindows(windows, x, y);
  }
  void ComputeGradient(const StepWindows& windows, const float* /*x*/, const float* dy,
                       float* dx) const override {
    MeanOfWindowsGradient(windows, dy, dx);
  }
};

class StepMaxPoolLayer : public StepLayer {
 public:
  using StepLayer::StepLayer;

 private:
  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    return absl::OkStatus();
  }
  void Compute(const StepWindows& windows, const float* x, float* y) const override {
    LargestOfWindows(windows, x, y);
  }
  void ComputeGradient(const StepWindows& windows, const float* x, const float* dy,
                       float* dx) const override {
    LargestOfWindowsGradient(windows, x, dy, dx);
  }
};

StepWindows WindowsOf(const Window1D& window, const LayerConfig& layer) {
  return {.window = window.WindowOver(/*steps_in_front=*/0),
          .windows = layer.output.Steps(),
          .kernel = window.kernel.steps,
          .before = window.As2D().BordersOf(AsImage(layer.input)).before.height};
}

}  // namespace

std::unique_ptr<CompiledLayer> CompileStepMask(const InputType& input) {
  return std::make_unique<StepMaskLayer>(input, StepWindows{.windows = input.Steps()});
}

std::unique_ptr<CompiledLayer> CompileStepMaxPool(const MaxPool1D& conf, const LayerConfig& layer) {
  return std::make_unique<StepMaxPoolLayer>(layer.input, WindowsOf(conf.window, layer));
}

std::unique_ptr<CompiledLayer> CompileStepAvgPool(const AvgPool1D& conf, const LayerConfig& layer) {
  StepWindows windows = WindowsOf(conf.window, layer);
  windows.divides_by_kernel = conf.count_padding;
  return std::make_unique<StepAvgPoolLayer>(layer.input, windows);
}

}  // namespace dl::nn

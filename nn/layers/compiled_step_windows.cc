#include "nn/layers/compiled_step_windows.h"

#include <algorithm>

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
  const StepWindows& windows() const { return windows_; }
  // Number of values of the input.
  int64_t Values() const { return windows_.steps.examples * steps_ * windows_.steps.n; }

 private:
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
  Status ForwardRows() override {
    std::copy_n(x(), Values(), y());
    ClearPadding(windows().steps, y());
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    std::copy_n(dy(), Values(), dx());
    ClearPadding(windows().steps, dx());
    return absl::OkStatus();
  }
};

class StepAvgPoolLayer : public StepLayer {
 public:
  using StepLayer::StepLayer;

 private:
  Status PlanRowsGradient(PlanBuilder&) override { return absl::OkStatus(); }
  Status ForwardRows() override {
    MeanOfWindows(windows(), x(), y());
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    MeanOfWindowsGradient(windows(), dy(), dx());
    return absl::OkStatus();
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
  Status ForwardRows() override {
    LargestOfWindows(windows(), x(), y());
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    LargestOfWindowsGradient(windows(), x(), dy(), dx());
    return absl::OkStatus();
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

#include "nn/layers/pool2d.h"

#include "nn/backend/pooling.h"
#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

class Pool2DLayer : public UnaryLayer {
 public:
  explicit Pool2DLayer(const PoolingGeometry& geometry) : geometry_(geometry) {}

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    geometry_.batch = input.layout.dims()[0];
    input_ = input;
    builder.arena().Use(input.buffer);
    DL_ASSIGN_OR_RETURN(forward_, PoolingForward(geometry_, input.layout,
                                                 builder.purpose() == Purpose::kTraining
                                                     ? PoolingWorkspace::kKept
                                                     : PoolingWorkspace::kNone));
    workspace_ = AddBuffer(builder, forward_, Role::kWorkspace);
    forward_scratch_ = AddBuffer(builder, forward_, Role::kScratchpad);
    output_ = Tensor{.layout = forward_.layout(Role::kDestination),
                     .buffer = AddBuffer(builder, forward_, Role::kDestination)};
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    DL_ASSIGN_OR_RETURN(backward_, PoolingBackward(geometry_, input_.layout, output_.layout));
    DL_ASSIGN_OR_RETURN(converted_, conversion_.Plan(builder, gradient, output_.layout));
    if (workspace_ != kNoBuffer) builder.arena().Use(workspace_);
    backward_scratch_ = AddBuffer(builder, backward_, Role::kScratchpad);
    diff_source_ =
        Tensor{.layout = input_.layout, .buffer = AddBuffer(builder, backward_, Role::kDiffSource)};
    return diff_source_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(conversion_.Bind(memory));
    DL_ASSIGN_OR_RETURN(run_forward_,
                        forward_.Bind({{Role::kSource, memory.Buffer(input_.buffer)},
                                       {Role::kDestination, memory.Buffer(output_.buffer)},
                                       {Role::kWorkspace, memory.Buffer(workspace_)},
                                       {Role::kScratchpad, memory.Buffer(forward_scratch_)}}));
    if (backward_.empty()) return absl::OkStatus();
    DL_ASSIGN_OR_RETURN(run_backward_,
                        backward_.Bind({{Role::kDiffSource, memory.Buffer(diff_source_.buffer)},
                                        {Role::kDiffDestination, memory.Buffer(converted_.buffer)},
                                        {Role::kWorkspace, memory.Buffer(workspace_)},
                                        {Role::kScratchpad, memory.Buffer(backward_scratch_)}}));
    return absl::OkStatus();
  }

  Status Forward(const Pass&) override { return run_forward_.Run(); }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(conversion_.Run());
    return run_backward_.Run();
  }

 private:
  PoolingGeometry geometry_;
  Primitive forward_, backward_;
  Conversion conversion_;
  Tensor input_, output_, converted_, diff_source_;
  BufferId workspace_ = kNoBuffer, forward_scratch_ = kNoBuffer, backward_scratch_ = kNoBuffer;
  BoundPrimitive run_forward_, run_backward_;
};

std::unique_ptr<CompiledLayer> Compile(PoolingKind kind, const Window& window,
                                       const LayerConfig& layer) {
  const Window::Borders borders = window.BordersOf(layer.input);
  return std::make_unique<Pool2DLayer>(PoolingGeometry{.kind = kind,
                                                       .channels = layer.input.channels,
                                                       .in_height = layer.input.height,
                                                       .in_width = layer.input.width,
                                                       .out_height = layer.output.height,
                                                       .out_width = layer.output.width,
                                                       .kernel_height = window.kernel.height,
                                                       .kernel_width = window.kernel.width,
                                                       .stride_height = window.stride.height,
                                                       .stride_width = window.stride.width,
                                                       .pad_top = borders.before.height,
                                                       .pad_left = borders.before.width,
                                                       .pad_bottom = borders.behind.height,
                                                       .pad_right = borders.behind.width});
}

}  // namespace

std::unique_ptr<CompiledLayer> CompileMaxPool2D(const MaxPool2D& conf, const LayerConfig& layer) {
  return Compile(PoolingKind::kMax, conf.window, layer);
}
std::unique_ptr<CompiledLayer> CompileAvgPool2D(const AvgPool2D& conf, const LayerConfig& layer) {
  return Compile(PoolingKind::kAverageInside, conf.window, layer);
}

std::unique_ptr<CompiledLayer> CompileGlobalAvgPool2D(const LayerConfig& layer) {
  const Extent2D whole{layer.input.height, layer.input.width};
  return Compile(PoolingKind::kAverageInside, {.kernel = whole, .stride = whole}, layer);
}

}  // namespace dl::nn

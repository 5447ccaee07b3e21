#include "nn/layers/compiled_pool.h"

#include "nn/backend/pooling_primitive.h"
#include "nn/layers/conversion.h"
#include "nn/layers/layer_windows.h"

namespace dl::nn {
namespace {

class PoolLayer : public UnaryLayer {
 public:
  explicit PoolLayer(const PoolingGeometry& geometry) : geometry_(geometry) {}

  Bf16Support SupportOfBf16() const override { return Bf16Support::kKeeps; }

  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    geometry_.batch = input.layout.dims()[0];
    geometry_.kernels = builder.kernels();
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
                        forward_.Bind({{Role::kSource, memory.Untyped(input_.buffer)},
                                       {Role::kDestination, memory.Untyped(output_.buffer)},
                                       {Role::kWorkspace, memory.Buffer(workspace_)},
                                       {Role::kScratchpad, memory.Buffer(forward_scratch_)}}));
    if (backward_.empty()) return absl::OkStatus();
    DL_ASSIGN_OR_RETURN(run_backward_,
                        backward_.Bind({{Role::kDiffSource, memory.Untyped(diff_source_.buffer)},
                                        {Role::kDiffDestination, memory.Untyped(converted_.buffer)},
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

template <AnExtent Extent>
std::unique_ptr<CompiledLayer> CompilePool(PoolingKind kind, const WindowOf<Extent>& window,
                                           const LayerConfig& layer) {
  return std::make_unique<PoolLayer>(PoolingGeometry{
      .kind = kind,
      .channels = layer.input.channels,
      .window = GeometryOf(window, layer.input, layer.output, /*padded=*/layer.input)});
}

template <typename AvgPool>
PoolingKind KindOf(const AvgPool& conf) {
  return conf.count_padding ? PoolingKind::kAverageWindow : PoolingKind::kAverageInside;
}

template <AnExtent Extent>
std::unique_ptr<CompiledLayer> CompileGlobalAvgPool(const LayerConfig& layer) {
  const Extent whole = Extent::Of(layer.input);
  return CompilePool(PoolingKind::kAverageInside,
                     WindowOf<Extent>{.kernel = whole, .stride = whole}, layer);
}

}  // namespace

std::unique_ptr<CompiledLayer> CompileMaxPool2D(const MaxPool2D& conf, const LayerConfig& layer) {
  return CompilePool(PoolingKind::kMax, conf.window, layer);
}
std::unique_ptr<CompiledLayer> CompileAvgPool2D(const AvgPool2D& conf, const LayerConfig& layer) {
  return CompilePool(KindOf(conf), conf.window, layer);
}
std::unique_ptr<CompiledLayer> CompileGlobalAvgPool2D(const LayerConfig& layer) {
  return CompileGlobalAvgPool<Extent2D>(layer);
}
std::unique_ptr<CompiledLayer> CompileMaxPool3D(const MaxPool3D& conf, const LayerConfig& layer) {
  return CompilePool(PoolingKind::kMax, conf.window, layer);
}
std::unique_ptr<CompiledLayer> CompileAvgPool3D(const AvgPool3D& conf, const LayerConfig& layer) {
  return CompilePool(KindOf(conf), conf.window, layer);
}
std::unique_ptr<CompiledLayer> CompileGlobalAvgPool3D(const LayerConfig& layer) {
  return CompileGlobalAvgPool<Extent3D>(layer);
}

}  // namespace dl::nn

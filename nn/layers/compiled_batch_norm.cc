#include "nn/layers/compiled_batch_norm.h"

#include "nn/backend/batch_normalization.h"
#include "nn/layers/batch_norm_parameters.h"
#include "nn/layers/compiled_step_batch_norm.h"
#include "nn/layers/conversion.h"

namespace dl::nn {
namespace {

class BatchNormLayer : public UnaryLayer {
 public:
  explicit BatchNormLayer(const LayerConfig& layer)
      : name_(layer.name),
        conf_(std::get<BatchNorm>(layer.conf)),
        channels_(layer.input.channels) {}

  bool HasParameters() const override { return true; }
  Bf16Support SupportOfBf16() const override { return Bf16Support::kKeeps; }
  StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) override {
    input_ = input;
    builder.arena().Use(input.buffer);
    const std::vector<int64_t> dims = input.layout.dims();
    flat_ = dims.size() == 2;
    // Features are treated as channels of a 1 x 1 image. A plain layout has the same memory for
    // both.
    is_one_value_ = input.layout.elements() == channels_;
    source_ = flat_ ? Layout::Plain(std::vector<int64_t>{dims[0], dims[1], 1, 1}) : input.layout;
    if (flat_) {
      DL_ASSIGN_OR_RETURN(input_, to_source_.Plan(builder, input, Layout::Plain(dims)));
    } else if (builder.kernels() == KernelSet::kPortable) {
      source_ = Layout::ChannelsLast(dims);
      DL_ASSIGN_OR_RETURN(input_, to_source_.Plan(builder, input, source_));
    }
    if (builder.purpose() == Purpose::kTraining && !conf_.frozen) {
      DL_ASSIGN_OR_RETURN(
          forward_, BatchNormalizationForward(GeometryWith(BatchStatistics::kOfBatch, builder)));
      batch_mean_ = AddBuffer(builder, forward_, Role::kMean);
      batch_variance_ = AddBuffer(builder, forward_, Role::kVariance);
      workspace_ = AddBuffer(builder, forward_, Role::kWorkspace);
    } else {
      DL_ASSIGN_OR_RETURN(
          forward_, BatchNormalizationForward(GeometryWith(BatchStatistics::kGiven, builder)));
    }
    DL_RETURN_IF_ERROR(parameters_.Plan(builder, name_, channels_));
    forward_scratch_ = AddBuffer(builder, forward_, Role::kScratchpad);
    output_ =
        Tensor{.layout = input_.layout, .buffer = AddBuffer(builder, forward_, Role::kDestination)};
    return output_;
  }

  StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                InputGradient) override {
    DL_ASSIGN_OR_RETURN(gradient_, to_gradient_.Plan(builder, gradient, output_.layout));
    const auto statistics = conf_.frozen ? BatchStatistics::kGiven : BatchStatistics::kOfBatch;
    DL_ASSIGN_OR_RETURN(backward_, BatchNormalizationBackward(GeometryWith(statistics, builder)));
    for (const BufferId id : {input_.buffer, batch_mean_, batch_variance_, workspace_}) {
      if (id != kNoBuffer) builder.arena().Use(id);
    }
    backward_scratch_ = AddBuffer(builder, backward_, Role::kScratchpad);
    diff_source_ =
        Tensor{.layout = input_.layout, .buffer = AddBuffer(builder, backward_, Role::kDiffSource)};
    return diff_source_;
  }

  Status Bind(const PlanMemory& memory) override {
    DL_RETURN_IF_ERROR(to_source_.Bind(memory));
    DL_RETURN_IF_ERROR(to_gradient_.Bind(memory));
    void* const x = memory.Untyped(input_.buffer);
    void* const y = memory.Untyped(output_.buffer);
    running_ = {.mean = memory.Parameter(parameters_.mean),
                .variance = memory.Parameter(parameters_.variance),
                .channels = channels_,
                .decay = conf_.decay};
    // Training uses the moments of the batch, unless the layer is frozen. Otherwise the running
    // moments are used.
    const bool training = batch_mean_ != kNoBuffer;
    mean_values_ = training ? memory.Buffer(batch_mean_) : running_.mean;
    variance_values_ = training ? memory.Buffer(batch_variance_) : running_.variance;
    DL_ASSIGN_OR_RETURN(run_forward_,
                        forward_.Bind({{Role::kSource, x},
                                       {Role::kDestination, y},
                                       {Role::kMean, mean_values_},
                                       {Role::kVariance, variance_values_},
                                       {Role::kScale, memory.Parameter(parameters_.gamma)},
                                       {Role::kShift, memory.Parameter(parameters_.beta)},
                                       {Role::kWorkspace, memory.Buffer(workspace_)},
                                       {Role::kScratchpad, memory.Buffer(forward_scratch_)}}));
    if (backward_.empty()) return absl::OkStatus();
    DL_ASSIGN_OR_RETURN(run_backward_,
                        backward_.Bind({{Role::kSource, x},
                                        {Role::kMean, mean_values_},
                                        {Role::kVariance, variance_values_},
                                        {Role::kScale, memory.Parameter(parameters_.gamma)},
                                        {Role::kShift, memory.Parameter(parameters_.beta)},
                                        {Role::kDiffDestination, memory.Untyped(gradient_.buffer)},
                                        {Role::kDiffSource, memory.Untyped(diff_source_.buffer)},
                                        {Role::kDiffScale, memory.Gradient(parameters_.gamma)},
                                        {Role::kDiffShift, memory.Gradient(parameters_.beta)},
                                        {Role::kWorkspace, memory.Buffer(workspace_)},
                                        {Role::kScratchpad, memory.Buffer(backward_scratch_)}}));
    return absl::OkStatus();
  }

  Status Forward(const Pass& pass) override {
    DL_RETURN_IF_ERROR(to_source_.Run());
    DL_RETURN_IF_ERROR(run_forward_.Run());
    if (pass.mode == Pass::Mode::kTraining && !conf_.frozen && !is_one_value_)
      running_.Take({.mean = mean_values_, .variance = variance_values_});
    return absl::OkStatus();
  }

  Status Backward(const Pass&) override {
    DL_RETURN_IF_ERROR(to_gradient_.Run());
    return run_backward_.Run();
  }

 private:
  BatchNormalizationGeometry GeometryWith(BatchStatistics statistics,
                                          const PlanBuilder& builder) const {
    return {.source = source_,
            .epsilon = conf_.epsilon,
            .statistics = statistics,
            .kernels = builder.kernels()};
  }

  std::string name_;
  BatchNorm conf_;
  int64_t channels_;
  bool flat_ = false;
  bool is_one_value_ = false;  // the minibatch or micro-batch has one value per channel
  Layout source_;
  Conversion to_source_, to_gradient_;
  Tensor input_, output_, gradient_, diff_source_;
  Primitive forward_, backward_;
  BatchNormParameters parameters_;
  RunningMoments running_;
  BufferId batch_mean_ = kNoBuffer, batch_variance_ = kNoBuffer, workspace_ = kNoBuffer;
  BufferId forward_scratch_ = kNoBuffer, backward_scratch_ = kNoBuffer;
  float* mean_values_ = nullptr;
  float* variance_values_ = nullptr;
  BoundPrimitive run_forward_, run_backward_;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileBatchNorm(const LayerConfig& layer) {
  if (layer.input.variable_length) return CompileStepBatchNorm(layer);
  return std::make_unique<BatchNormLayer>(layer);
}

}  // namespace dl::nn

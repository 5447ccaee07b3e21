#include "nn/layers/compiled_step_batch_norm.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/step_norm.h"
#include "nn/kernels/step_window_kernels.h"
#include "nn/layers/batch_norm_parameters.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class StepBatchNormLayer : public PlainRowsLayer {
 public:
  explicit StepBatchNormLayer(const LayerConfig& layer)
      : name_(layer.name),
        conf_(std::get<BatchNorm>(layer.conf)),
        steps_(layer.input.Steps()),
        channels_(layer.input.channels) {}

  bool HasParameters() const override { return true; }
  Status Forward(const Pass& pass) override {
    DL_RETURN_IF_ERROR(PlainRowsLayer::Forward(pass));
    const bool has_variance = RealSteps(norm_.steps) > 1;
    if (pass.mode == Pass::Mode::kTraining && of_batch_ && has_variance)
      running_.Take({.mean = norm_.mean, .variance = norm_.variance});
    return absl::OkStatus();
  }

 private:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& input) override {
    norm_.steps = {.examples = input[0] / steps_, .steps = steps_, .n = channels_};
    norm_.epsilon = conf_.epsilon;
    DL_RETURN_IF_ERROR(parameters_.Plan(builder, name_, channels_));
    of_batch_ = builder.purpose() == Purpose::kTraining && !conf_.frozen;
    if (!of_batch_) return input;
    mean_ = builder.arena().Add(channels_);
    variance_ = builder.arena().Add(channels_);
    sums_ = builder.arena().Add<double>(channels_);
    return input;
  }

  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    if (!of_batch_) return absl::OkStatus();
    for (const BufferId id : {mean_, variance_}) builder.arena().Use(id);
    return absl::OkStatus();
  }

  Status BindRows(const PlanMemory& memory) override {
    norm_.steps.lengths = memory.Lengths();
    norm_.gamma = memory.Parameter(parameters_.gamma);
    beta_ = memory.Parameter(parameters_.beta);
    running_ = {.mean = memory.Parameter(parameters_.mean),
                .variance = memory.Parameter(parameters_.variance),
                .channels = channels_,
                .decay = conf_.decay};
    batch_mean_ = of_batch_ ? memory.Buffer(mean_) : nullptr;
    batch_variance_ = of_batch_ ? memory.Buffer(variance_) : nullptr;
    batch_sums_ = of_batch_ ? memory.Buffer<double>(sums_) : nullptr;
    norm_.mean = of_batch_ ? batch_mean_ : running_.mean;
    norm_.variance = of_batch_ ? batch_variance_ : running_.variance;
    gradients_ = {.dx = dx(),
                  .dgamma = memory.Gradient(parameters_.gamma),
                  .dbeta = memory.Gradient(parameters_.beta)};
    return absl::OkStatus();
  }

  Status ForwardRows() override {
    ForFeatures([&](IndexRange part) {
      if (of_batch_)
        MomentsOfSteps(norm_.steps, part, x(), batch_mean_, batch_variance_, batch_sums_);
      StepNormForward(norm_, part, x(), beta_, y());
    });
    ClearPadding(norm_.steps, y());
    return absl::OkStatus();
  }

  Status BackwardRows() override {
    const StepMoments moments = of_batch_ ? StepMoments::kOfSteps : StepMoments::kGiven;
    ForFeatures(
        [&](IndexRange part) { StepNormBackward(norm_, part, moments, x(), dy(), gradients_); });
    if (dx() != nullptr) ClearPadding(norm_.steps, dx());
    return absl::OkStatus();
  }

  template <typename Body>
  void ForFeatures(const Body& body) const {
    ForColumns(channels_, norm_.steps.examples * norm_.steps.steps,
               [&](int64_t begin, int64_t end) {
                 body(IndexRange{begin, end});
               });
  }

  std::string name_;
  BatchNorm conf_;
  int64_t steps_, channels_;
  bool of_batch_ = false;  // normalizes by the moments of the minibatch
  StepNorm norm_;
  BatchNormParameters parameters_;
  RunningMoments running_;
  StepNormGradients gradients_;
  BufferId mean_ = kNoBuffer, variance_ = kNoBuffer, sums_ = kNoBuffer;
  float* batch_mean_ = nullptr;
  float* batch_variance_ = nullptr;
  double* batch_sums_ = nullptr;
  const float* beta_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileStepBatchNorm(const LayerConfig& layer) {
  return std::make_unique<StepBatchNormLayer>(layer);
}

}  // namespace dl::nn

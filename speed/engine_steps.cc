#include "speed/engine_steps.h"

#include <optional>

#include "base/process_time.h"

namespace dl::speed {

StatusOr<std::unique_ptr<EngineSteps>> EngineSteps::Create(const nn::ModelConfig& model,
                                                           const StepData& data,
                                                           const std::vector<float>& state,
                                                           const Options& options) {
  std::unique_ptr<EngineSteps> steps(new EngineSteps(data, options.learning_rate));
  const int64_t batch = data.Of(0).examples;
  DL_ASSIGN_OR_RETURN(
      steps->network_,
      nn::Network::Create(model, {.max_batch = batch,
                                  .micro_batch = options.micro_batch,
                                  .threads = options.threads,
                                  .precision = options.precision,
                                  .kernels = options.kernels,
                                  .checkpoint_activations = options.checkpoint_activations}));
  DL_RETURN_IF_ERROR(steps->network_->Load(state));
  return steps;
}

StatusOr<double> EngineSteps::MakeOne() {
  const nn::StepContext context{
      .step = step_, .learning_rate = learning_rate_, .update_count = step_ + 1};
  DL_ASSIGN_OR_RETURN(const nn::MetricSums sums, network_->TrainStep(data_.Of(step_), context));
  ++step_;
  return sums.loss();
}

StatusOr<Stepper::Steps> EngineSteps::Make(int64_t count) {
  Steps steps;
  for (int64_t i = 0; i < count; ++i) {
    const Duration cpu = ProcessTime();
    const Instant wall = Clock::Real().Now();
    DL_ASSIGN_OR_RETURN(const double loss, MakeOne());
    steps.times.wall.push_back(Seconds(Clock::Real().Now() - wall) * 1e3);
    steps.times.cpu.push_back(Seconds(ProcessTime() - cpu) * 1e3);
    steps.losses.push_back(loss);
  }
  return steps;
}

StatusOr<StepProfile> EngineSteps::Profile(int64_t count) {
  ProfileRecorder recorder;
  std::optional<StepProfile> best;
  network_->Observe(&recorder);
  for (int64_t i = 0; i < count; ++i) {
    recorder.BeginStep();
    const auto loss = MakeOne();
    StepProfile profile = recorder.EndStep();
    if (!loss.ok()) {
      network_->Observe(nullptr);
      return loss.status();
    }
    if (!best || profile.total < best->total) best = std::move(profile);
  }
  network_->Observe(nullptr);
  return *std::move(best);
}

}  // namespace dl::speed

// Training steps of the engine, made by the calling thread.
#pragma once

#include <memory>

#include "speed/step_data.h"
#include "speed/step_profile.h"
#include "speed/stepper.h"

namespace dl::speed {

class EngineSteps : public Stepper {
 public:
  struct Options {
    int threads = 1;
    nn::Precision precision = nn::Precision::kFloat32;
    nn::KernelSet kernels = nn::KernelSet::kNative;
    int64_t micro_batch = 0;  // as in nn::NetworkOptions
    bool checkpoint_activations = false;
    double learning_rate = 0;
  };
  // Compiles the network and loads `state`. Returns the errors of nn::Network. REQUIRES: `data`
  // outlives the result.
  static StatusOr<std::unique_ptr<EngineSteps>> Create(const nn::ModelConfig& model,
                                                       const StepData& data,
                                                       const std::vector<float>& state,
                                                       const Options& options);
  StatusOr<Steps> Make(int64_t count) override;
  int64_t MemoryGrowth() const override { return growth_.Bytes(); }
  // Makes `count` steps, at least 1, and returns the profile of the fastest.
  StatusOr<StepProfile> Profile(int64_t count);

 private:
  EngineSteps(const StepData& data, double learning_rate)
      : data_(data), learning_rate_(learning_rate) {}
  StatusOr<double> MakeOne();

  const StepData& data_;
  ResidentGrowth growth_;
  std::unique_ptr<nn::Network> network_;
  const double learning_rate_;
  int64_t step_ = 0;
};

}  // namespace dl::speed

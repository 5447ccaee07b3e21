// Training steps of the engine, on the calling thread.
#pragma once

#include <memory>

#include "bench/steps/step_data.h"
#include "bench/steps/step_profile.h"
#include "bench/steps/stepper.h"

namespace dl::bench {

class EngineSteps : public Stepper {
 public:
  struct Options {
    int threads = 1;
    nn::Precision precision = nn::Precision::kFloat32;
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
  explicit EngineSteps(const StepData& data) : data_(data) {}
  StatusOr<double> MakeOne();

  const StepData& data_;
  ResidentGrowth growth_;
  std::unique_ptr<nn::Network> network_;
  double learning_rate_ = 0;
  int64_t step_ = 0;
};

}  // namespace dl::bench

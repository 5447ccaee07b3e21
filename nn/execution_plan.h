// A model compiled for one batch size: its layers with their kernels, where every activation lies,
// and the layouts that the parameters must have. Memory is bound later, so that plans of different
// batch sizes share one arena and the parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nn/conf/model_config.h"
#include "nn/layers/compiled_layer.h"
#include "nn/losses/loss.h"
#include "nn/parameter_store.h"

namespace dl::nn {

// Not thread-safe.
class ExecutionPlan {
 public:
  // REQUIRES: `model` and `parameters` outlive the plan.
  static StatusOr<std::unique_ptr<ExecutionPlan>> Create(const ModelConfig& model,
                                                         ParameterStore& parameters, int64_t batch);
  ~ExecutionPlan();

  int64_t batch() const { return batch_; }
  int64_t arena_floats() const { return arena_floats_; }
  const std::vector<ParameterLayout>& parameter_layouts() const { return parameter_layouts_; }

  // Binds to the arena and to where the parameters lie now.
  Status Bind(float* arena);

  float* input() const { return input_; }  // [batch, features], plain
  Outputs outputs() const { return {outputs_, batch_, output_count_}; }
  float* loss_gradient() const { return loss_gradient_; }  // [batch, outputs], plain
  Status Forward(const Pass& pass);
  Status Backward(const Pass& pass);

 private:
  class Builder;
  class Memory;
  ExecutionPlan(const ModelConfig& model, ParameterStore& parameters, int64_t batch);
  Status Plan();
  Status PlanBackward(Builder& builder);

  const ModelConfig& model_;
  ParameterStore& parameters_;
  int64_t batch_;
  std::vector<std::unique_ptr<CompiledLayer>> layers_;
  size_t first_trained_ = 0;                // no layer before it has parameters
  std::unique_ptr<CompiledLayer> to_rows_;  // brings the last layer's output into plain rows
  ArenaPlan arena_;
  int64_t arena_floats_ = 0;
  std::vector<ParameterLayout> parameter_layouts_;
  BufferId input_buffer_ = kNoBuffer, output_buffer_ = kNoBuffer, gradient_buffer_ = kNoBuffer;
  int64_t output_count_ = 0;
  float* input_ = nullptr;
  float* outputs_ = nullptr;
  float* loss_gradient_ = nullptr;
};

}  // namespace dl::nn

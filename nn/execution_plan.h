// A model compiled for one batch size and one purpose: its layers with their kernels, where every
// activation lies, and the layouts that the parameters must have. Memory is bound later, so that
// plans of different batch sizes share one arena and the parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nn/carried_states.h"
#include "nn/conf/model_config.h"
#include "nn/layers/compiled_layer.h"
#include "nn/layers/lowering.h"
#include "nn/layers/tensor_sum.h"
#include "nn/losses/loss.h"
#include "nn/parameter_store.h"

namespace dl::nn {

// Not thread-safe.
class ExecutionPlan {
 public:
  // What it is compiled of, and what all plans of a network share.
  struct Ground {
    const ModelConfig& model;
    ParameterStore& parameters;
    CarriedStates& carried;
    const int32_t* lengths;  // of each example of a minibatch; null: all have all steps
  };
  // REQUIRES: what `ground` names outlives the plan.
  static StatusOr<std::unique_ptr<ExecutionPlan>> Create(const Ground& ground, Purpose purpose,
                                                         int64_t batch);
  ~ExecutionPlan();

  Purpose purpose() const { return purpose_; }
  int64_t batch() const { return batch_; }
  int64_t arena_bytes() const { return arena_bytes_; }
  const std::vector<ParameterLayout>& parameter_layouts() const { return parameter_layouts_; }

  // Binds to the arena and to where the parameters lie now.
  // REQUIRES: arena_bytes(), aligned to ArenaPlan::kAlignment.
  Status Bind(void* arena);

  // [batch, features], or by steps, plain; of the model's, in its order.
  const std::vector<float*>& inputs() const { return inputs_; }
  // Of each of the model's outputs, in its order: what it gives, and in training the gradient of
  // the loss by that; [rows, units], plain.
  Outputs outputs(size_t output) const { return outputs_[output].given; }
  float* loss_gradient(size_t output) const { return outputs_[output].gradient; }
  Status Forward(const Pass& pass);
  // After a forward pass: what layers add to the losses, of which the whole minibatch has
  // `counted`.
  void AddPenalties(int64_t counted, MetricSums& sums) const;
  // REQUIRES: a plan for training.
  Status Backward(const Pass& pass);

 private:
  class Builder;
  class Memory;
  struct Value;
  struct Node {
    LoweredNode lowered;
    bool backward = false;
    std::vector<TensorSum> sums;  // of what its backward step adds to what others gave
  };
  struct OutputPlace {
    BufferId given_buffer = kNoBuffer, gradient_buffer = kNoBuffer;
    Outputs given;
    float* gradient = nullptr;
  };
  ExecutionPlan(const Ground& ground, Purpose purpose, int64_t batch);
  Status Plan();
  Status PlanOutputs(const std::vector<ValueId>& ids, std::vector<Value>& values);
  Status PlanForward(Builder& builder, Node& node, std::vector<Value>& values);
  Status PlanBackward(Builder& builder, Node& node, std::vector<Value>& values);

  const Ground ground_;
  const Purpose purpose_;
  const int64_t batch_;
  std::vector<Node> nodes_;
  ArenaPlan arena_;
  int64_t arena_bytes_ = 0;
  std::vector<ParameterLayout> parameter_layouts_;
  std::vector<BufferId> input_buffers_;
  std::vector<float*> inputs_;
  std::vector<OutputPlace> outputs_;
};

}  // namespace dl::nn

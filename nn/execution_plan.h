// A model compiled for one batch size, one purpose, and one number of computed rows of each output:
// the layers with their kernels, the place of every activation, and the layouts that the parameters
// must have. Memory is bound later, so that all plans share one arena and the parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nn/activation_histograms.h"
#include "nn/carried_states.h"
#include "nn/conf/model_config.h"
#include "nn/counted_rows.h"
#include "nn/example_lengths.h"
#include "nn/layer_kernels.h"
#include "nn/layers/compiled_layer.h"
#include "nn/layers/conversion.h"
#include "nn/layers/lowering.h"
#include "nn/layers/tensor_sum.h"
#include "nn/losses/loss.h"
#include "nn/parameter_store.h"

namespace dl::nn {

// Not thread-safe.
class ExecutionPlan {
 public:
  // The model and state from which plans are compiled. All plans of a network share it.
  struct Shared {
    const ModelConfig& model;
    ParameterStore& parameters;
    CarriedStates& carried;
    const ExampleLengths& lengths;
    const CountedRows& counted;
    // For each output, whether its loss turns the outputs into its gradient in place. Empty: none.
    std::vector<bool> in_place = {};
    Precision precision = Precision::kFloat32;
    KernelSet kernels = KernelSet::kNative;
    // Whether training computes activations again in the backward pass, to save memory
    // (nn/conf/activation_segments.h). Changes no bit.
    bool checkpoint_activations = false;
  };
  // The batches that a plan is compiled for.
  struct Shape {
    Purpose purpose = Purpose::kTraining;
    int64_t batch = 0;  // number of examples
    // For each output the number of rows to compute: at least the rows that count in its loss.
    // 0: all rows. Empty: all rows of all outputs.
    std::vector<int64_t> capacities = {};

    bool operator==(const Shape&) const = default;
  };
  // Compiles the model. This function, Bind, Forward and Backward return the errors of
  // CompiledLayer. This function also returns Internal if a parameter is claimed by no layer.
  // REQUIRES: everything that `shared` refers to outlives the plan; the capacities fit
  // ComputeCountedRowsOnly (nn/layers/counted_rows_only.h), and are empty for inference.
  static StatusOr<std::unique_ptr<ExecutionPlan>> Create(const Shared& shared, Shape shape);
  ~ExecutionPlan();

  const Shape& shape() const { return shape_; }
  int64_t arena_bytes() const { return arena_bytes_; }
  // The layouts that the parameters must have, by id.
  const std::vector<ParameterLayout>& parameter_layouts() const { return parameter_layouts_; }
  // The copies of parameters that the plan reads.
  const std::vector<WeightCopies::Request>& weight_copies() const { return weight_copies_; }

  // Binds to the arena and to the current addresses of the parameters. Must be called again when
  // one of them changes. REQUIRES: the parameter store has the layouts parameter_layouts() and
  // the copies weight_copies(); `arena` has arena_bytes() bytes and is aligned to
  // ArenaPlan::kAlignment.
  Status Bind(void* arena);
  // Returns the kernels of the layers that have some, in the order of the forward pass. REQUIRES:
  // Bind succeeded.
  std::vector<LayerKernels> kernels() const;

  // Buffers of the model's inputs, in the model's order. Each is a plain array: [batch, features],
  // for an image [batch, channels, height, width], for a volume [batch, channels, depth, height,
  // width], for a sequence [batch * steps, features].
  const std::vector<float*>& inputs() const { return inputs_; }
  // outputs() returns the values of the model's output with this index, before the link function of
  // the loss. The caller may overwrite them, for example with predictions. loss_gradient() returns
  // the buffer of the gradient of the loss with respect to the values that Forward computed. The
  // caller writes it before Backward. It is nullptr in a plan for inference. Both are plain arrays
  // [rows, units]. If an output computes only rows that count, outputs() has these rows, each as an
  // example of its own. loss_gradient() has capacity() rows; those after the rows that count must
  // be zero. capacity() is 0 if the output computes all rows.
  Outputs outputs(size_t output) const;
  int64_t capacity(size_t output) const {
    return shape_.capacities.empty() ? 0 : shape_.capacities[output];
  }
  float* loss_gradient(size_t output) const { return outputs_[output].gradient; }
  // Returns where Backward reads the gradient of the loss in bf16 instead, in the order of
  // loss_gradient(). nullptr if it reads float32. The values begin where loss_gradient() does, so
  // row r of bf16 overwrites rows of float32 up to r.
  uint16_t* rounded_gradient(size_t output) const { return outputs_[output].rounded; }
  // Returns whether loss_gradient() is the buffer of outputs().
  bool is_gradient_in_place(size_t output) const {
    return outputs_[output].gradient_buffer == outputs_[output].given_buffer;
  }
  // Computes outputs() from inputs(). Also counts the outputs of all layers in `activations`,
  // unless it is null. REQUIRES: Bind was called; pass.Training() is true if and only if the plan
  // is for training; `activations` is null in a plan for inference.
  Status Forward(const Pass& pass, ActivationHistograms* activations = nullptr);
  // Adds the penalties that layers computed in the last forward pass to the loss of `sums`.
  // `counted` is the number of losses that the last output counts in the whole minibatch, also
  // after the pass of a micro-batch. REQUIRES: a forward pass.
  void AddPenalties(int64_t counted, MetricSums& sums) const;
  // Computes the gradients of the parameters from loss_gradient(). Passes each to
  // ParameterStore::ConsumeGradient when it is final, if the store consumes it. Otherwise writes
  // it to ParameterStore::gradient, and replaces the gradient of the previous pass. Layers before
  // the first trained layer have no backward step: their gradients keep earlier values. REQUIRES:
  // the plan is for training, and Forward was called for the same micro-batch.
  Status Backward(const Pass& pass);

 private:
  class Builder;
  class Memory;
  struct Value;
  // The output of a layer of the model, to be counted.
  struct Measured {
    size_t layer = 0;  // index in the model
    Tensor output;
    std::optional<size_t> counted_in;  // as in LoweredNode
    const void* values = nullptr;      // after Bind
  };
  // The gradient of a parameter, which exists only during the backward step of its layer.
  struct ConsumedGradient {
    ParameterId parameter = -1;
    BufferId buffer = kNoBuffer;
    float* values = nullptr;  // after Bind
  };
  struct Node {
    LoweredNode lowered;  // its operation was compiled to `layer`
    std::unique_ptr<CompiledLayer> layer;
    bool backward = false;
    // Convert inputs, and gradients of outputs, for a layer that reads no bf16.
    std::vector<Conversion> inputs_to_float32, gradients_to_float32;
    std::vector<TensorSum> sums;  // add this node's input gradients to gradients from other readers
    std::vector<Measured> measured;
    std::vector<ParameterId> parameters;     // that the layer claims
    int segment = 0;                         // of activations
    int64_t step = 0;                        // its forward step in the arena
    bool carries = false;                    // the layer carries states between minibatches
    std::vector<ConsumedGradient> consumed;  // final after the backward step
    std::vector<std::string> kernels;        // names; after Bind
  };
  struct OutputPlace {
    BufferId given_buffer = kNoBuffer, gradient_buffer = kNoBuffer;
    Outputs given;
    bool is_rounded = false;  // Backward reads the gradient in bf16
    float* gradient = nullptr;
    uint16_t* rounded = nullptr;
  };
  ExecutionPlan(const Shared& shared, Shape shape) : shared_(shared), shape_(std::move(shape)) {}
  Status Plan();
  void ChooseTypes(const LoweredModel& lowered, std::vector<Value>& values) const;
  Status PlanOutputs(const std::vector<ValueId>& ids, std::vector<Value>& values);
  // Returns whether the only use of the value's gradient is to be rounded to bf16.
  bool IsGradientRounded(ValueId id, const std::vector<Value>& values) const;
  Status PlanForward(Builder& builder, Node& node, std::vector<Value>& values);
  void PlanMeasures(const LoweredModel& lowered, const std::vector<Value>& values);
  Status PlanBackward(Builder& builder, Node& node, std::vector<Value>& values);
  void PlanConsumedGradients(Node& node);
  // Divides the nodes into segments of activations. All nodes are one segment without
  // Shared::checkpoint_activations.
  void AssignSegments();
  // Returns whether the backward pass computes the nodes of this segment again.
  bool IsRepeated(int segment) const;
  // Returns whether the backward pass computes a segment again before this node.
  bool BeginsRepetition(size_t node) const;
  std::span<Node> NodesOf(int segment);
  bool IsDivided() const { return nodes_.front().segment != nodes_.back().segment; }
  static Status RunForward(const Node& node, const Pass& pass);
  Status Repeat(int segment, const Pass& pass);
  Status ConsumeGradients(const Node& node);
  // Replaces a tensor of bf16 by its conversion, which is added to `conversions`.
  static Status PlanFloat32(Builder& builder, std::vector<Conversion>& conversions, Tensor& tensor);

  const Shared shared_;
  const Shape shape_;
  std::vector<Node> nodes_;  // segments are contiguous
  ArenaPlan arena_;
  int64_t arena_bytes_ = 0;
  std::vector<ParameterLayout> parameter_layouts_;
  std::vector<WeightCopies::Request> weight_copies_;
  std::vector<BufferId> gradient_buffers_;  // by parameter id; kNoBuffer: not in the arena
  std::vector<BufferId> input_buffers_;
  std::vector<float*> inputs_;
  std::vector<OutputPlace> outputs_;
};

}  // namespace dl::nn

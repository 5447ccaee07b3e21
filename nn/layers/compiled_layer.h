// A layer that is compiled for one batch size and one purpose. Planning comes first: layouts and
// buffers are planned forward, each layer after the layers that it reads, and then backward in the
// opposite order. Then the plan is bound to memory. Then steps run. A layer owns no memory for
// activations.
//
// The functions Compile... in this folder return a layer that is not planned yet. They copy what
// they need from their arguments. The activation at the end of a layer of the model is a compiled
// layer of its own (nn/layers/lowering.h); only recurrent layers apply an activation within each
// step.
//
// Functions in this folder that return a status return the errors of primitives
// (nn/backend/primitive.h). They return Internal for a parameter or carried state that the model
// does not have, and for a parameter that another layer has claimed. The forward step of an
// embedding also returns InvalidArgument for a value that is not an index of its table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/philox.h"
#include "base/status.h"
#include "nn/arena.h"
#include "nn/backend/primitive.h"
#include "nn/conf/kernel_set.h"
#include "nn/conf/precision.h"
#include "nn/metrics/metric_sums.h"

namespace dl::nn {

class TouchedRows;  // nn/touched_rows.h

// An activation or its gradient during planning. The layout has the dimensions [n, features], [n,
// c, h, w] or [n, c, d, h, w]. A sequence has [n * steps, features]: a row for each step of each
// example.
struct Tensor {
  Layout layout;
  BufferId buffer = kNoBuffer;
  // kNeeded: another layer reads the tensor later. A layer that writes in place must work on a copy
  // (nn/layers/own_copy.h).
  enum class Keep : uint8_t { kFree, kNeeded } keep = Keep::kFree;

  bool empty() const { return layout.empty(); }
};

// The examples that are computed at once: a minibatch, or a part of it if gradients are
// accumulated.
struct MicroBatch {
  int64_t number = 0;     // index among the micro-batches of the minibatch
  int64_t first = 0;      // index of its first example in the minibatch
  int64_t examples = 0;   // number of its examples
  int64_t minibatch = 0;  // number of examples of the whole minibatch

  // Returns the number of rows of the whole minibatch, for `rows` rows of this micro-batch.
  int64_t AllRows(int64_t rows) const { return rows / examples * minibatch; }
  // Returns this micro-batch's slice of an array with a fixed number of values per example.
  template <typename T>
  std::span<const T> SliceOf(std::span<const T> all) const {
    const auto each = static_cast<int64_t>(all.size()) / minibatch;
    return all.subspan(first * each, examples * each);
  }
};

// The kind of a step, and the coordinates of its random numbers (docs/formats.md, "Random
// numbers"). kGradientOnly computes as kTraining, but changes neither running moments nor carried
// states.
struct Pass {
  enum class Mode : uint8_t { kTraining, kGradientOnly, kInference } mode = Mode::kTraining;
  uint64_t seed = 0;
  int64_t epoch = 0, round = 0, worker = 0, step = 0;
  MicroBatch micro_batch;

  bool Training() const { return mode != Mode::kInference; }
  // Returns the coordinates of the random numbers that a layer draws for this micro-batch.
  RandomStream::StreamId KeyFor(RandomPurpose purpose, int64_t layer_index) const {
    const auto pair = [](int64_t upper, int64_t lower) {
      return static_cast<uint64_t>(upper) << 32 | static_cast<uint64_t>(lower);
    };
    return {.seed = seed,
            .purpose = purpose,
            .a = pair(layer_index, epoch),
            .b = pair(micro_batch.number, round),
            .c = pair(worker, step)};
  }
};

// Purpose of a plan. A plan for inference has no backward steps and keeps nothing for them.
enum class Purpose : uint8_t { kTraining, kInference };

// Index among the model's segments of kind parameter, mean or variance. These indices are followed
// by an id for each parameter that a layer shares with another layer (nn/parameter_store.h).
using ParameterId = int;
using CarriedId = int;  // index among the states that stateful layers carry (nn/carried_states.h)

// Services for a layer during planning.
class PlanBuilder {
 public:
  virtual ~PlanBuilder() = default;
  virtual Purpose purpose() const = 0;
  virtual Precision precision() const = 0;
  // Returns the set of the kernels that compute the plan.
  virtual KernelSet kernels() const = 0;
  // Returns the type in which all readers can read the output of the layer that is being planned.
  // kFloat32 for outputs of the model. A layer that can choose writes this type.
  virtual DataType OutputType() const = 0;
  virtual ArenaPlan& arena() = 0;
  // Returns the id of the segment "<layer>.<name>".
  virtual StatusOr<ParameterId> Parameter(std::string_view layer, std::string_view name) = 0;
  // Claims the parameter for the layer that is being planned, and sets its layout between steps.
  // `canonical` describes the segment's row-major form. Returns Internal if another layer has
  // claimed the parameter, or if a layout does not fit the size of the segment.
  virtual Status SetParameterLayout(ParameterId id, const Layout& canonical,
                                    const Layout& layout) = 0;
  // Requests a copy of a parameter in another layout or type, which the parameter store makes when
  // the weights change. `stored` is the parameter's layout between steps.
  virtual void RequestWeightCopy(ParameterId id, const Layout& stored, const Layout& wanted) = 0;
  // Returns the id of the carried state "<layer>.<name>". Each plan uses the state of its purpose.
  virtual StatusOr<CarriedId> Carried(std::string_view layer, std::string_view name) = 0;
};

// Addresses of buffers and parameters, after planning.
class PlanMemory {
 public:
  virtual ~PlanMemory() = default;
  // Returns nullptr for kNoBuffer. REQUIRES: the buffer has this type.
  template <typename T = float>
  T* Buffer(BufferId id) const {
    return static_cast<T*>(Typed(id, TypeOf<T>()));
  }
  // Does the same for any type. Used by primitives, whose layouts know the type.
  virtual void* Untyped(BufferId id) const = 0;
  virtual float* Parameter(ParameterId id) const = 0;
  virtual float* Gradient(ParameterId id) const = 0;  // in the parameter's layout
  // Returns the copy that RequestWeightCopy has requested, in the layout `wanted`.
  virtual void* WeightCopy(ParameterId id, const Layout& wanted) const = 0;
  // Returns where to record the rows that a layer writes of an embedding table's gradient. nullptr:
  // the layer must write the whole gradient.
  virtual TouchedRows* Touched(ParameterId id) const = 0;
  virtual float* Carried(CarriedId id) const = 0;  // plain array [rows, features]
  // Returns the number of steps of each example of the micro-batch at the layer's input. nullptr if
  // the model's input has no variable length. The array is written before each pass. Gradients with
  // respect to rows of padding are zero, so the values of such rows have no effect on training.
  virtual const int32_t* Lengths() const = 0;
  // Returns the indices of the rows that count in the loss of output number `output` of the model,
  // ascending. The list is written before each pass; its address does not change.
  virtual const std::vector<int32_t>& CountedRows(size_t output) const = 0;

 private:
  virtual void* Typed(BufferId id, DataType type) const = 0;
};

// Whether another layer reads the gradient with respect to an input.
enum class InputGradient : uint8_t { kNeeded, kUnused };

// Whether a layer can compute with tensors of kBf16.
enum class Bf16Support : uint8_t {
  kNone,     // the plan converts inputs, and gradients with respect to outputs, to kFloat32
  kKeeps,    // reads either type; outputs have the type of the inputs, kFloat32 if those differ
  kChooses,  // reads either type, and writes PlanBuilder::OutputType()
};

// The use that a backward step makes of the gradient with respect to the layer's only output.
enum class GradientUse : uint8_t {
  kComputes,  // anything else
  kRounds,    // reads it only after rounding it to bf16
  kPassesOn,  // only gives it another shape, in its type: it is the gradient of the only input
};

class CompiledLayer {
 public:
  virtual ~CompiledLayer() = default;
  // Returns whether PlanForward claims parameters.
  virtual bool HasParameters() const { return false; }
  // Constant for each layer.
  virtual Bf16Support SupportOfBf16() const { return Bf16Support::kNone; }
  // Decides whether a loss may write its gradient in bf16. REQUIRES: PlanForward was called.
  virtual GradientUse UseOfGradient() const { return GradientUse::kComputes; }
  // Plans the forward step and returns the outputs. Inputs and outputs are in the order of the
  // layer's config.
  virtual StatusOr<std::vector<Tensor>> PlanForward(PlanBuilder& builder,
                                                    std::span<const Tensor> inputs) = 0;
  // Plans the backward step. `gradients` are with respect to the outputs. A gradient is empty if
  // its output leads to no loss; at least one is not empty. Returns the gradients with respect to
  // the inputs; the result for an unused input is unspecified. Called only in a plan for training,
  // and only if the layer or a layer before it has trained parameters. The layer must mark a result
  // as kNeeded in two cases: another needed result has the same buffer, or the buffer is that of a
  // gradient marked kNeeded.
  virtual StatusOr<std::vector<Tensor>> PlanBackward(PlanBuilder& builder,
                                                     std::span<const Tensor> gradients,
                                                     std::span<const InputGradient> inputs) = 0;
  // Takes the addresses of all planned buffers and of the parameters. Must be called after
  // planning, and again if addresses change.
  virtual Status Bind(const PlanMemory& memory) = 0;
  // Computes the outputs from the inputs. REQUIRES: Bind was called.
  virtual Status Forward(const Pass& pass) = 0;
  // Computes the gradients with respect to the parameters and to the inputs that need one, from the
  // gradients with respect to the outputs. Replaces earlier values of these gradients, and does not
  // add to them. REQUIRES: PlanBackward and Bind were called, and Forward for the same micro-batch.
  virtual Status Backward(const Pass& pass) = 0;
  // Adds the penalties of the last forward step to the sum of losses. A layer has one penalty for
  // each row, or none. `counted` is the number of losses that the model's last output counts in the
  // whole minibatch, also after a step of a micro-batch. The sum of losses is later divided by
  // `counted`. Therefore each penalty is multiplied by `counted` / number of rows of the whole
  // minibatch.
  virtual void AddPenalties(int64_t /*counted*/, MetricSums&) const {}
};

// Base of layers with one input and one output, which most layers are.
class UnaryLayer : public CompiledLayer {
 public:
  StatusOr<std::vector<Tensor>> PlanForward(PlanBuilder& builder,
                                            std::span<const Tensor> inputs) final {
    DL_ASSIGN_OR_RETURN(Tensor output, PlanOutput(builder, inputs.front()));
    return std::vector<Tensor>{std::move(output)};
  }
  StatusOr<std::vector<Tensor>> PlanBackward(PlanBuilder& builder,
                                             std::span<const Tensor> gradients,
                                             std::span<const InputGradient> inputs) final {
    DL_ASSIGN_OR_RETURN(Tensor gradient, PlanGradient(builder, gradients.front(), inputs.front()));
    return std::vector<Tensor>{std::move(gradient)};
  }

 protected:
  // Plans the forward step for the only input, and returns the only output.
  virtual StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) = 0;
  // Plans the backward step. `gradient` is with respect to the output, the result with respect to
  // the input. The rules of PlanBackward apply.
  virtual StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                        InputGradient input) = 0;
};

}  // namespace dl::nn

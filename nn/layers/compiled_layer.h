// A layer compiled for one batch size and one purpose. First everything is planned: layouts and
// buffers, forward in an order in which each layer comes behind those that it reads, then backward
// in the opposite one; then the plan is bound to memory; then steps run. A layer owns no activation
// memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/philox.h"
#include "base/status.h"
#include "nn/arena.h"
#include "nn/backend/primitive.h"
#include "nn/metrics/metric_sums.h"

namespace dl::nn {

class TouchedRows;  // nn/touched_rows.h

// An activation or its gradient while planning. The dimensions of the layout are [n, features],
// [n, c, h, w] or [n, c, d, h, w]; of sequences [n * steps, features], a row for each step of each
// example.
struct Tensor {
  Layout layout;
  BufferId buffer = kNoBuffer;
  // Somebody else reads it again, later: work on a copy instead of in place (nn/layers/own_copy.h).
  enum class Keep : uint8_t { kFree, kNeeded } keep = Keep::kFree;

  bool empty() const { return layout.empty(); }
};

// What is computed at once: a minibatch, or a part of it where gradients are accumulated.
struct MicroBatch {
  int64_t number = 0;    // of the minibatch's, from 0
  int64_t first = 0;     // its first example's place in the minibatch
  int64_t examples = 0;  // in it
  int64_t of = 0;        // in the whole minibatch

  // Of so many rows here, how many the minibatch has.
  int64_t AllRows(int64_t rows) const { return rows / examples * of; }
  // Of what the minibatch has of each of its examples, its own.
  template <typename T>
  std::span<const T> Of(std::span<const T> all) const {
    const auto each = static_cast<int64_t>(all.size()) / of;
    return all.subspan(first * each, examples * each);
  }
};

// Which coordinates a step's random numbers have (docs/formats.md, "Random numbers"), and what kind
// of step it is.
struct Pass {
  enum class Mode : uint8_t { kTraining, kGradientOnly, kInference } mode = Mode::kTraining;
  uint64_t seed = 0;
  int64_t epoch = 0, round = 0, worker = 0, step = 0;
  MicroBatch micro_batch;

  bool Training() const { return mode != Mode::kInference; }
  // The coordinates of what a layer draws for this micro-batch.
  RandomStream::Key KeyFor(RandomPurpose purpose, int64_t layer_index) const {
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

// What a plan is for. One for inference has no backward steps, and keeps nothing for them.
enum class Purpose : uint8_t { kTraining, kInference };

using ParameterId = int;  // index among the model's segments of kind parameter, mean or variance
using CarriedId = int;    // of what a stateful layer carries (nn/carried_states.h)

// What a layer asks for while it is planned.
class PlanBuilder {
 public:
  virtual ~PlanBuilder() = default;
  virtual Purpose purpose() const = 0;
  virtual ArenaPlan& arena() = 0;
  // The segment "<layer>.<name>".
  virtual StatusOr<ParameterId> Parameter(std::string_view layer, std::string_view name) = 0;
  // Claims the parameter for the layer that is planned, and says how it lies between steps;
  // `canonical` describes the segment's row-major form. Internal when another layer has it, or when
  // the segment is not as large.
  virtual Status SetParameterLayout(ParameterId id, const Layout& canonical,
                                    const Layout& layout) = 0;
  // What "<layer>.<name>" was behind the minibatch before; each plan's of its purpose.
  virtual StatusOr<CarriedId> Carried(std::string_view layer, std::string_view name) = 0;
};

// Where everything lies, once planned.
class PlanMemory {
 public:
  virtual ~PlanMemory() = default;
  // nullptr for kNoBuffer. REQUIRES: a buffer of this type.
  template <typename T = float>
  T* Buffer(BufferId id) const {
    return static_cast<T*>(Typed(id, TypeOf<T>()));
  }
  // The same of whatever type it is: for primitives, whose layouts know it.
  virtual void* Untyped(BufferId id) const = 0;
  virtual float* Parameter(ParameterId id) const = 0;
  virtual float* Gradient(ParameterId id) const = 0;  // same layout as the parameter
  // Of a table of rows, which of them its gradient has, for who writes few; nullptr: it is to be
  // written whole.
  virtual TouchedRows* Touched(ParameterId id) const = 0;
  virtual float* Carried(CarriedId id) const = 0;  // [rows, features], plain
  // Steps of each example of the minibatch, of sequences whose lengths differ; written before each
  // pass. Gradients by rows behind them are zeros: whoever reads such rows has nothing of them.
  virtual const int32_t* Lengths() const = 0;

 private:
  virtual void* Typed(BufferId id, DataType type) const = 0;
};

// Whether anybody reads the gradient by an input.
enum class InputGradient : uint8_t { kNeeded, kUnused };

class CompiledLayer {
 public:
  virtual ~CompiledLayer() = default;
  virtual bool HasParameters() const { return false; }
  // The outputs, of the inputs that the layer reads, both in the order of its config.
  virtual StatusOr<std::vector<Tensor>> PlanForward(PlanBuilder& builder,
                                                    std::span<const Tensor> inputs) = 0;
  // The gradients by the inputs (of no meaning where unused), of those by the outputs: empty where
  // an output leads to no loss, which is true of some but not all. Not called where the layer has
  // no parameters and nobody needs a gradient by its inputs. A result that shares its buffer with
  // another one, or with a gradient that has to be kept, has to be kept itself.
  virtual StatusOr<std::vector<Tensor>> PlanBackward(PlanBuilder& builder,
                                                     std::span<const Tensor> gradients,
                                                     std::span<const InputGradient> inputs) = 0;
  virtual Status Bind(const PlanMemory& memory) = 0;
  virtual Status Forward(const Pass& pass) = 0;
  // Only where it was planned.
  virtual Status Backward(const Pass& pass) = 0;
  // Adds what the layer's last forward step adds to the loss: the mean of the minibatch's
  // penalties, of which there is one for each row, `counted` times. `counted` is the number of
  // losses in whose mean the penalty takes part: of the whole minibatch, also where this is a part
  // of it.
  virtual void AddPenalties(int64_t /*counted*/, MetricSums&) const {}
};

// One input, one output: what most layers are.
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
  virtual StatusOr<Tensor> PlanOutput(PlanBuilder& builder, const Tensor& input) = 0;
  // `gradient` is by the output, the result by the input.
  virtual StatusOr<Tensor> PlanGradient(PlanBuilder& builder, const Tensor& gradient,
                                        InputGradient input) = 0;
};

}  // namespace dl::nn

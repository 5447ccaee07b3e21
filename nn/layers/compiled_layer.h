// A layer compiled for one batch size. First everything is planned: layouts and buffers, forward
// from the first layer to the last, then backward; then the plan is bound to memory; then steps
// run. A layer owns no activation memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "nn/arena.h"
#include "nn/backend/primitive.h"

namespace dl::nn {

// An activation or its gradient while planning. The dimensions of the layout are [n, features] or
// [n, c, h, w].
struct Tensor {
  Layout layout;
  BufferId buffer = kNoBuffer;
  // The one who wrote it reads it again in the backward pass: work on a copy instead of in place.
  enum class Keep : uint8_t { kFree, kNeeded } keep = Keep::kFree;
};

// Which coordinates a step's random numbers have (docs/formats.md, "Random numbers"), and what kind
// of step it is.
struct Pass {
  enum class Mode : uint8_t { kTraining, kGradientOnly, kInference } mode = Mode::kTraining;
  uint64_t seed = 0;
  int64_t epoch = 0, round = 0, worker = 0, step = 0;

  bool Training() const { return mode != Mode::kInference; }
};

using ParameterId = int;  // index among the model's segments of kind parameter, mean or variance

// What a layer asks for while it is planned.
class PlanBuilder {
 public:
  virtual ~PlanBuilder() = default;
  virtual ArenaPlan& arena() = 0;
  // The segment "<layer>.<name>".
  virtual StatusOr<ParameterId> Parameter(std::string_view layer, std::string_view name) = 0;
  // Claims the parameter for the layer that is planned, and says how it lies between steps;
  // `canonical` describes the segment's row-major form. Internal when another layer has it, or when
  // the segment is not as large.
  virtual Status SetParameterLayout(ParameterId id, const Layout& canonical,
                                    const Layout& layout) = 0;
};

// Where everything lies, once planned.
class PlanMemory {
 public:
  virtual ~PlanMemory() = default;
  virtual float* Buffer(BufferId id) const = 0;  // nullptr for kNoBuffer
  virtual float* Parameter(ParameterId id) const = 0;
  virtual float* Gradient(ParameterId id) const = 0;  // same layout as the parameter
};

// Whether anybody reads the gradient by the layer's input.
enum class InputGradient : uint8_t { kNeeded, kUnused };

class CompiledLayer {
 public:
  virtual ~CompiledLayer() = default;
  virtual bool HasParameters() const { return false; }
  virtual StatusOr<Tensor> PlanForward(PlanBuilder& builder, const Tensor& input) = 0;
  // `gradient` is by the layer's output, free to overwrite. The result is by the input (of no
  // meaning when unused, which only a layer with parameters is told).
  virtual StatusOr<Tensor> PlanBackward(PlanBuilder& builder, const Tensor& gradient,
                                        InputGradient input) = 0;
  virtual Status Bind(const PlanMemory& memory) = 0;
  virtual Status Forward(const Pass& pass) = 0;
  virtual Status Backward(const Pass& pass) = 0;
};

}  // namespace dl::nn

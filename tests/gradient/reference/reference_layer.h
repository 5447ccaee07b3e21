// A layer of the reference: plain loops over float64 in logical order, written from the formulas in
// nn/conf/layers. Slow on purpose. It shares nothing with the engine except the configs.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dl::reference {

using Values = std::vector<double>;  // [examples, C, H, W] or [examples, n], row-major

enum class Mode : uint8_t { kTraining, kInference };

// A pass over the network. It holds the coordinates of dropout masks.
struct Pass {
  Mode mode = Mode::kTraining;
  int64_t examples = 0;
  uint64_t seed = 0;
  int64_t epoch = 0, round = 0, worker = 0, step = 0;
};

// A parameter and its gradient. Running moments and carried state have no gradient.
struct Tensor {
  std::span<double> value;
  std::span<double> gradient;
};

// Returns a row of carried state if the pass is a training pass of a stateful layer, else zeros.
inline Values CarriedRow(const Tensor& carried, const Pass& pass, int64_t row, int64_t n) {
  if (carried.value.empty() || pass.mode != Mode::kTraining) return Values(n, 0.0);
  const auto begin = carried.value.begin() + row * n;
  return Values(begin, begin + n);
}

class Layer {
 public:
  virtual ~Layer() = default;
  virtual Values Forward(const Values& x, const Pass& pass) = 0;
  // Returns the gradient by x for the last Forward, which must have been in training mode. Sets the
  // gradients of the layer's parameters.
  virtual Values Backward(const Values& dy) = 0;
  // Returns what the last Forward adds to the mean loss of the minibatch.
  virtual double Penalty() const { return 0; }
  // Performs the part of a training step outside the updater: running moments and carried state.
  virtual void FinishStep() {}
  // Returns the smallest distance of values of the last Forward from a point without a derivative.
  virtual double KinkDistance() const { return std::numeric_limits<double>::infinity(); }
};

// A layer that reads several values, all of the same examples.
class JoiningLayer {
 public:
  virtual ~JoiningLayer() = default;
  virtual Values Forward(const std::vector<const Values*>& x, const Pass& pass) = 0;
  // Returns the gradients by the inputs of the last Forward.
  virtual std::vector<Values> Backward(const Values& dy) = 0;
  virtual double KinkDistance() const { return std::numeric_limits<double>::infinity(); }
};

}  // namespace dl::reference

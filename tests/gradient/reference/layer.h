// One layer of the reference: plain loops over float64 in logical order, written from the formulas
// in nn/conf/layers. Slow on purpose; shares nothing with the engine but the configs.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dl::reference {

using Values = std::vector<double>;  // [examples, C, H, W] or [examples, n], row-major

enum class Mode : uint8_t { kTraining, kInference };

// Where a pass stands: the coordinates of its dropout masks.
struct Pass {
  Mode mode = Mode::kTraining;
  int64_t examples = 0;
  uint64_t seed = 0;
  int64_t epoch = 0, round = 0, worker = 0, step = 0;
};

// A parameter and where its gradient goes; moments and what is carried have none.
struct Tensor {
  std::span<double> value;
  std::span<double> gradient;
};

// A row of what a layer carries, in training where it does; else zeros.
inline Values CarriedRow(const Tensor& carried, const Pass& pass, int64_t row, int64_t n) {
  if (carried.value.empty() || pass.mode != Mode::kTraining) return Values(n, 0.0);
  const auto begin = carried.value.begin() + row * n;
  return Values(begin, begin + n);
}

class Layer {
 public:
  virtual ~Layer() = default;
  virtual Values Forward(const Values& x, const Pass& pass) = 0;
  // The gradient by x of the last Forward, which was in training mode; sets the gradients of its
  // parameters.
  virtual Values Backward(const Values& dy) = 0;
  // What the last Forward adds to the mean loss of the minibatch.
  virtual double Penalty() const { return 0; }
  // What a training step does besides the updater: running moments, what is carried.
  virtual void FinishStep() {}
  // How far the values of the last Forward stayed from a point without a derivative.
  virtual double KinkDistance() const { return std::numeric_limits<double>::infinity(); }
};

// A layer that reads several values; each of the same examples.
class JoiningLayer {
 public:
  virtual ~JoiningLayer() = default;
  virtual Values Forward(const std::vector<const Values*>& x, const Pass& pass) = 0;
  // The gradients by the inputs of the last Forward.
  virtual std::vector<Values> Backward(const Values& dy) = 0;
  virtual double KinkDistance() const { return std::numeric_limits<double>::infinity(); }
};

}  // namespace dl::reference

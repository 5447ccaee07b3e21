// The steps of nn/conf/layers/lstm.h, example by example, given W x + b of all steps; the reversal
// of steps; and the selection of the last step.
#pragma once

#include "tests/gradient/reference/reference_dropout.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class Recurrence : public Layer {
 public:
  struct Shape {
    int64_t steps = 0, units = 0;
    double forget_bias = 0;
    RecurrentDropout dropout;
  };
  // `state` and `cell` are set in stateful layers only.
  Recurrence(Tensor weight, Tensor state, Tensor cell, const Shape& shape)
      : weight_(weight), state_(state), cell_(cell), shape_(shape) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  void FinishStep() override;

 private:
  // Values of one unit at one step of an example.
  struct Cell {
    double i = 0, f = 0, g = 0, o = 0, before = 0, c = 0, h_before = 0, h = 0;  // h_before: masked
  };
  const Cell& At(int64_t example, int64_t step, int64_t unit) const {
    return cells_[(example * shape_.steps + step) * shape_.units + unit];
  }
  void BackwardOf(int64_t example, const Values& dy, Values& dx);

  Tensor weight_, state_, cell_;
  Shape shape_;
  int64_t examples_ = 0;
  std::vector<Cell> cells_;
  Values mask_;  // by example and unit
};

// Reverses the order of the steps of each example.
class Reversal : public Layer {
 public:
  explicit Reversal(int64_t steps) : steps_(steps) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override { return Reversed(dy); }

 private:
  Values Reversed(const Values& x) const;

  int64_t steps_, examples_ = 0;
};

class LastStep : public Layer {
 public:
  explicit LastStep(int64_t steps) : steps_(steps) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  int64_t steps_, examples_ = 0;
};

}  // namespace dl::reference

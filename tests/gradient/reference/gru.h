// The steps of nn/conf/layers/gru.h, example by example, from W x + b of all of them, with the
// reset gate in either place.
#pragma once

#include "tests/gradient/reference/dropout.h"
#include "tests/gradient/reference/layer.h"

namespace dl::reference {

class Gru : public Layer {
 public:
  enum class Reset : uint8_t { kBefore, kAfter };
  struct Shape {
    int64_t steps = 0, units = 0;
    Reset reset = Reset::kAfter;
    RecurrentDropout dropout;
  };
  // `bias` is there for a reset behind the product alone, `state` in stateful layers.
  Gru(Tensor weight, Tensor bias, Tensor state, const Shape& shape)
      : weight_(weight), bias_(bias), state_(state), shape_(shape) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  void FinishStep() override;

 private:
  // What one example held at one step, of each unit.
  struct Cell {
    Values r, z, n, before;
    Values mask;     // of the states that R multiplies
    Values product;  // R h + c of the candidates, where they are reset behind it
  };
  // The k-th third's row u with `state`.
  double Product(int64_t third, int64_t u, const Values& state) const;
  // The gradients of that product, d its own.
  void ProductBackward(int64_t third, int64_t u, double d, const Values& state, Values& by_state);
  Values BackwardOf(const Cell& cell, const Values& by_state, double* dx);

  Tensor weight_, bias_, state_;
  Shape shape_;
  int64_t examples_ = 0;
  std::vector<Cell> cells_;
  Values last_;  // states, of all examples
};

}  // namespace dl::reference

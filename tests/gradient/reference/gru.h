// The steps of nn/conf/layers/gru.h, example by example, from W x + b of all of them, with the
// reset gate in either place.
#pragma once

#include "tests/gradient/reference/layer.h"

namespace dl::reference {

class Gru : public Layer {
 public:
  enum class Reset : uint8_t { kBefore, kAfter };
  struct Shape {
    int64_t steps = 0, units = 0;
    Reset reset = Reset::kAfter;
  };
  // `bias` is there for a reset behind the product alone.
  Gru(Tensor weight, Tensor bias, const Shape& shape)
      : weight_(weight), bias_(bias), shape_(shape) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;

 private:
  // What one example held at one step, of each unit.
  struct Cell {
    Values r, z, n, before;
    Values product;  // R h + c of the candidates, where they are reset behind it
  };
  // The k-th third's row u with `state`.
  double Product(int64_t third, int64_t u, const Values& state) const;
  // The gradients of that product, d its own.
  void ProductBackward(int64_t third, int64_t u, double d, const Values& state, Values& by_state);
  Values BackwardOf(const Cell& cell, const Values& by_state, double* dx);

  Tensor weight_, bias_;
  Shape shape_;
  int64_t examples_ = 0;
  std::vector<Cell> cells_;
};

}  // namespace dl::reference

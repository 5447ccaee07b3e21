// The steps of nn/conf/layers/gru.h, example by example. The input is W x + b of all steps. The
// reset gate may come before or after the product.
#pragma once

#include "tests/gradient/reference/reference_dropout.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

class Gru : public Layer {
 public:
  enum class Reset : uint8_t { kBefore, kAfter };
  struct Shape {
    int64_t steps = 0, units = 0;
    Reset reset = Reset::kAfter;
    RecurrentDropout dropout;
  };
  // `bias` is set only if the reset comes after the product; `state` only in stateful layers.
  Gru(Tensor weight, Tensor bias, Tensor state, const Shape& shape)
      : weight_(weight), bias_(bias), state_(state), shape_(shape) {}
  Values Forward(const Values& x, const Pass& pass) override;
  Values Backward(const Values& dy) override;
  void FinishStep() override;

 private:
  // Values of one example at one step, for each unit.
  struct Cell {
    Values r, z, n, before;
    Values mask;     // dropout mask of the states that R multiplies
    Values product;  // R h + c of the candidates, if the reset comes after it
  };
  // Returns the product of row u of the third number `third` with `state`.
  double Product(int64_t third, int64_t u, const Values& state) const;
  // Adds the gradients of that product; `d` is its own gradient.
  void ProductBackward(int64_t third, int64_t u, double d, const Values& state, Values& by_state);
  Values BackwardOf(const Cell& cell, const Values& by_state, double* dx);

  Tensor weight_, bias_, state_;
  Shape shape_;
  int64_t examples_ = 0;
  std::vector<Cell> cells_;
  Values last_;  // states of all examples
};

}  // namespace dl::reference

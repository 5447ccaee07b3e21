// Computes a step of long short-term memory (nn/conf/layers/lstm.h) for several examples. Gates are
// [examples, 4, units]: input, forget, candidate, output.
#pragma once

#include <cstdint>

namespace dl::nn {

struct LstmCellShape {
  int64_t examples = 0, units = 0;
  float forget_bias = 0;
};

// On input `gates` hold the arguments of the gates, afterwards their values.
struct LstmCell {
  float* gates = nullptr;
  const float* cell_before = nullptr;  // [examples, units], like all below
  float* cell = nullptr;
  float* cell_tanh = nullptr;
  float* state = nullptr;
};
void LstmCellForward(const LstmCellShape& shape, const LstmCell& cell);

// d_state is the gradient with respect to the step's state. On input d_cell is the gradient with
// respect to the step's cell that the next step gave; the caller sets it to 0 for the last step.
// Afterwards d_cell is the gradient with respect to the cell before the step. d_gates receives the
// gradient with respect to the arguments of the gates.
struct LstmCellGradient {
  const float* gates = nullptr;
  const float* cell_before = nullptr;
  const float* cell_tanh = nullptr;
  const float* d_state = nullptr;
  float* d_cell = nullptr;
  float* d_gates = nullptr;  // [examples, 4, units]
};
void LstmCellBackward(const LstmCellShape& shape, const LstmCellGradient& cell);

}  // namespace dl::nn

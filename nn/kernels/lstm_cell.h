// One step of long short-term memory (nn/conf/layers/lstm.h) for some examples, each value by
// itself. Gates lie as [examples, 4, units]: input, forget, candidate, output.
#pragma once

#include <cstdint>

namespace dl::nn {

struct LstmCellShape {
  int64_t examples = 0, units = 0;
  float forget_bias = 0;
};

// `gates` hold what was computed for them, and then their values.
struct LstmCell {
  float* gates = nullptr;
  const float* cell_before = nullptr;  // [examples, units], as all below
  float* cell = nullptr;
  float* cell_tanh = nullptr;
  float* state = nullptr;
};
void LstmCellForward(const LstmCellShape& shape, const LstmCell& cell);

// d_state is the gradient by the step's state; d_cell that by its cell, which the step behind gave,
// and then by the cell before. Writes the gradient by what was computed for the gates.
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

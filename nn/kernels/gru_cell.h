// One step of gated recurrent units (nn/conf/layers/gru.h) for some examples, each value by itself.
// Gates lie as [examples, 3, units]: reset, update, candidate; what was computed for them of the
// inputs becomes their values.
#pragma once

#include <cstdint>

namespace dl::nn {

struct GruCellShape {
  int64_t examples = 0, units = 0;
};

// The reset behind the product with the state.
struct GruCell {
  float* gates = nullptr;
  const float* product = nullptr;  // [examples, 3, units], of the state before
  const float* bias = nullptr;     // [units], of the candidate's product
  const float* before = nullptr;   // [examples, units], as the one below
  float* state = nullptr;
};
void GruCellForward(const GruCellShape& shape, const GruCell& cell);

// Writes the gradients by what was computed for the gates and by the product, and adds to that by
// the state before, where there is one.
struct GruCellGradient {
  const float* gates = nullptr;
  const float* product = nullptr;
  const float* bias = nullptr;
  const float* before = nullptr;
  const float* d_state = nullptr;
  float* d_gates = nullptr;
  float* d_product = nullptr;
  float* d_before = nullptr;  // nullptr: the step is the first
};
void GruCellBackward(const GruCellShape& shape, const GruCellGradient& cell);

// The reset before it: the product of the candidate is of what the first half gives.
struct GruResetCell {
  float* gates = nullptr;
  const float* product = nullptr;    // [examples, 2, units], of the state before
  const float* candidate = nullptr;  // [examples, units], as all below: that of the reset state
  const float* before = nullptr;
  float* reset_state = nullptr;
  float* state = nullptr;
};
void GruResetForward(const GruCellShape& shape, const GruResetCell& cell);
void GruCandidateForward(const GruCellShape& shape, const GruResetCell& cell);

// Backward the halves come the other way round: the first gives the gradient by the candidate's
// product, of which that by the reset state is a product, which the second reads.
struct GruResetGradient {
  const float* gates = nullptr;
  const float* before = nullptr;
  const float* d_state = nullptr;
  const float* d_reset_state = nullptr;
  float* d_gates = nullptr;
  float* d_candidate = nullptr;
  float* d_product = nullptr;
  float* d_before = nullptr;  // nullptr: the step is the first
};
void GruCandidateBackward(const GruCellShape& shape, const GruResetGradient& cell);
void GruResetBackward(const GruCellShape& shape, const GruResetGradient& cell);

// The sums of the last `units` columns of rows [rows, 3, units], ascending, in double; `sums` is
// scratch of `units` doubles.
void GruBiasGradient(int64_t rows, int64_t units, const float* d_product, double* sums,
                     float* gradient);

}  // namespace dl::nn

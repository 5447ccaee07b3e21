// Computes a step of gated recurrent units (nn/conf/layers/gru.h) for several examples. Gates are
// [examples, 3, units]: reset, update, candidate. On input they hold the product with the inputs,
// afterwards the values of the gates.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

struct GruCellShape {
  int64_t examples = 0, units = 0;
};

// The cell whose reset gate is applied after the product with the state.
struct GruCell {
  float* gates = nullptr;
  const float* product = nullptr;  // [examples, 3, units], with the state before
  const float* bias = nullptr;     // [units], of the product for the candidate
  const float* before = nullptr;   // [examples, units], like `state`
  float* state = nullptr;
};
void GruCellForward(const GruCellShape& shape, const GruCell& cell);

// Reads the gradient d_state with respect to the state after the step. Writes the gradients with
// respect to the gates' arguments and to the product. Adds the gradient with respect to the state
// before the step, without the part through the product, to d_before unless that is null.
struct GruCellGradient {
  const float* gates = nullptr;
  const float* product = nullptr;
  const float* bias = nullptr;
  const float* before = nullptr;
  const float* d_state = nullptr;
  float* d_gates = nullptr;
  float* d_product = nullptr;
  float* d_before = nullptr;  // nullptr in the first step
};
void GruCellBackward(const GruCellShape& shape, const GruCellGradient& cell);

// The cell whose reset gate is applied before the product. GruResetForward computes the reset
// state. After the product with it, GruCandidateForward computes the new state.
struct GruResetCell {
  float* gates = nullptr;
  const float* product = nullptr;  // [examples, 2, units], with the state before
  // Product with the reset state, [examples, units], like all below.
  const float* candidate = nullptr;
  const float* before = nullptr;
  float* reset_state = nullptr;
  float* state = nullptr;
};
void GruResetForward(const GruCellShape& shape, const GruResetCell& cell);
void GruCandidateForward(const GruCellShape& shape, const GruResetCell& cell);

// In the backward step, GruCandidateBackward is called first. It writes d_candidate and the
// gradients of the update gate and the candidate in d_gates and d_product. A product of the caller
// then gives d_reset_state, the gradient with respect to the reset state. GruResetBackward reads
// it, writes the gradients of the reset gate, and adds to d_before unless that is null.
struct GruResetGradient {
  const float* gates = nullptr;
  const float* before = nullptr;
  const float* d_state = nullptr;
  const float* d_reset_state = nullptr;
  float* d_gates = nullptr;
  float* d_candidate = nullptr;
  float* d_product = nullptr;
  float* d_before = nullptr;  // nullptr in the first step
};
void GruCandidateBackward(const GruCellShape& shape, const GruResetGradient& cell);
void GruResetBackward(const GruCellShape& shape, const GruResetGradient& cell);

// Sets `gradient` to the sums of the last `units` columns of rows [rows, 3, units], in ascending
// order, in double, for the units of a range. `sums` is scratch memory of `units` doubles, each
// used by one unit.
struct GruBiasShape {
  int64_t rows = 0, units = 0;
};
void GruBiasGradient(const GruBiasShape& shape, IndexRange range, const float* d_product,
                     double* sums, float* gradient);

}  // namespace dl::nn

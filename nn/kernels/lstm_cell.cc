#include "nn/kernels/lstm_cell.h"

#include "nn/kernels/clones.h"
#include "nn/kernels/float_math.h"

namespace dl::nn {

DL_ISA_CLONES void LstmCellForward(const LstmCellShape& shape, const LstmCell& cell) {
  const int64_t n = shape.units;
  for (int64_t e = 0; e < shape.examples; ++e) {
    float* __restrict__ const input = cell.gates + e * 4 * n;
    float* __restrict__ const forget = input + n;
    float* __restrict__ const candidate = input + 2 * n;
    float* __restrict__ const output = input + 3 * n;
    const float* __restrict__ const before = cell.cell_before + e * n;
    float* __restrict__ const now = cell.cell + e * n;
    float* __restrict__ const squashed = cell.cell_tanh + e * n;
    float* __restrict__ const state = cell.state + e * n;
    DL_INDEPENDENT
    for (int64_t u = 0; u < n; ++u) {
      input[u] = SigmoidF(input[u]);
      forget[u] = SigmoidF(forget[u] + shape.forget_bias);
      candidate[u] = TanhF(candidate[u]);
      output[u] = SigmoidF(output[u]);
      now[u] = forget[u] * before[u] + input[u] * candidate[u];
      squashed[u] = TanhF(now[u]);
      state[u] = output[u] * squashed[u];
    }
  }
}

DL_ISA_CLONES void LstmCellBackward(const LstmCellShape& shape, const LstmCellGradient& cell) {
  const int64_t n = shape.units;
  for (int64_t e = 0; e < shape.examples; ++e) {
    const float* __restrict__ const input = cell.gates + e * 4 * n;
    const float* __restrict__ const forget = input + n;
    const float* __restrict__ const candidate = input + 2 * n;
    const float* __restrict__ const output = input + 3 * n;
    const float* __restrict__ const before = cell.cell_before + e * n;
    const float* __restrict__ const squashed = cell.cell_tanh + e * n;
    const float* __restrict__ const d_state = cell.d_state + e * n;
    float* __restrict__ const d_cell = cell.d_cell + e * n;
    float* __restrict__ const d_input = cell.d_gates + e * 4 * n;
    float* __restrict__ const d_forget = d_input + n;
    float* __restrict__ const d_candidate = d_input + 2 * n;
    float* __restrict__ const d_output = d_input + 3 * n;
    DL_INDEPENDENT
    for (int64_t u = 0; u < n; ++u) {
      const float i = input[u], f = forget[u], g = candidate[u], o = output[u], c = squashed[u];
      const float by_cell = d_cell[u] + d_state[u] * o * (1.0f - c * c);
      d_input[u] = by_cell * g * (i * (1.0f - i));
      d_forget[u] = by_cell * before[u] * (f * (1.0f - f));
      d_candidate[u] = by_cell * i * (1.0f - g * g);
      d_output[u] = d_state[u] * c * (o * (1.0f - o));
      d_cell[u] = by_cell * f;
    }
  }
}

}  // namespace dl::nn

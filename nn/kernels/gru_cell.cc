#include "nn/kernels/gru_cell.h"

#include <algorithm>

#include "nn/kernels/clones.h"
#include "nn/kernels/float_math.h"

namespace dl::nn {

DL_ISA_CLONES void GruCellForward(const GruCellShape& shape, const GruCell& cell) {
  const int64_t n = shape.units;
  for (int64_t e = 0; e < shape.examples; ++e) {
    float* __restrict__ const reset = cell.gates + e * 3 * n;
    float* __restrict__ const update = reset + n;
    float* __restrict__ const candidate = reset + 2 * n;
    const float* __restrict__ const product = cell.product + e * 3 * n;
    const float* __restrict__ const before = cell.before + e * n;
    float* __restrict__ const state = cell.state + e * n;
    DL_INDEPENDENT
    for (int64_t u = 0; u < n; ++u) {
      reset[u] = SigmoidF(reset[u] + product[u]);
      update[u] = SigmoidF(update[u] + product[n + u]);
      candidate[u] = TanhF(candidate[u] + reset[u] * (product[2 * n + u] + cell.bias[u]));
      state[u] = (1.0f - update[u]) * candidate[u] + update[u] * before[u];
    }
  }
}

DL_ISA_CLONES void GruCellBackward(const GruCellShape& shape, const GruCellGradient& cell) {
  const int64_t n = shape.units;
  for (int64_t e = 0; e < shape.examples; ++e) {
    const float* __restrict__ const gates = cell.gates + e * 3 * n;
    const float* __restrict__ const product = cell.product + e * 3 * n;
    const float* __restrict__ const before = cell.before + e * n;
    const float* __restrict__ const d_state = cell.d_state + e * n;
    float* __restrict__ const d_gates = cell.d_gates + e * 3 * n;
    float* __restrict__ const d_product = cell.d_product + e * 3 * n;
    DL_INDEPENDENT
    for (int64_t u = 0; u < n; ++u) {
      const float r = gates[u], z = gates[n + u], c = gates[2 * n + u];
      const float by_candidate = d_state[u] * (1.0f - z) * (1.0f - c * c);
      const float by_update = d_state[u] * (before[u] - c) * (z * (1.0f - z));
      const float by_reset = by_candidate * (product[2 * n + u] + cell.bias[u]) * (r * (1.0f - r));
      d_gates[u] = by_reset;
      d_gates[n + u] = by_update;
      d_gates[2 * n + u] = by_candidate;
      d_product[u] = by_reset;
      d_product[n + u] = by_update;
      d_product[2 * n + u] = by_candidate * r;
    }
    if (cell.d_before == nullptr) continue;
    float* __restrict__ const d_before = cell.d_before + e * n;
    for (int64_t u = 0; u < n; ++u) d_before[u] += d_state[u] * gates[n + u];
  }
}

DL_ISA_CLONES void GruResetForward(const GruCellShape& shape, const GruResetCell& cell) {
  const int64_t n = shape.units;
  for (int64_t e = 0; e < shape.examples; ++e) {
    float* __restrict__ const reset = cell.gates + e * 3 * n;
    float* __restrict__ const update = reset + n;
    const float* __restrict__ const product = cell.product + e * 2 * n;
    const float* __restrict__ const before = cell.before + e * n;
    float* __restrict__ const reset_state = cell.reset_state + e * n;
    DL_INDEPENDENT
    for (int64_t u = 0; u < n; ++u) {
      reset[u] = SigmoidF(reset[u] + product[u]);
      update[u] = SigmoidF(update[u] + product[n + u]);
      reset_state[u] = reset[u] * before[u];
    }
  }
}

DL_ISA_CLONES void GruCandidateForward(const GruCellShape& shape, const GruResetCell& cell) {
  const int64_t n = shape.units;
  for (int64_t e = 0; e < shape.examples; ++e) {
    const float* __restrict__ const update = cell.gates + e * 3 * n + n;
    float* __restrict__ const candidate = cell.gates + e * 3 * n + 2 * n;
    const float* __restrict__ const product = cell.candidate + e * n;
    const float* __restrict__ const before = cell.before + e * n;
    float* __restrict__ const state = cell.state + e * n;
    DL_INDEPENDENT
    for (int64_t u = 0; u < n; ++u) {
      candidate[u] = TanhF(candidate[u] + product[u]);
      state[u] = (1.0f - update[u]) * candidate[u] + update[u] * before[u];
    }
  }
}

DL_ISA_CLONES void GruCandidateBackward(const GruCellShape& shape, const GruResetGradient& cell) {
  const int64_t n = shape.units;
  for (int64_t e = 0; e < shape.examples; ++e) {
    const float* __restrict__ const gates = cell.gates + e * 3 * n;
    const float* __restrict__ const before = cell.before + e * n;
    const float* __restrict__ const d_state = cell.d_state + e * n;
    float* __restrict__ const d_gates = cell.d_gates + e * 3 * n;
    float* __restrict__ const d_candidate = cell.d_candidate + e * n;
    float* __restrict__ const d_product = cell.d_product + e * 2 * n;
    DL_INDEPENDENT
    for (int64_t u = 0; u < n; ++u) {
      const float z = gates[n + u], c = gates[2 * n + u];
      const float by_candidate = d_state[u] * (1.0f - z) * (1.0f - c * c);
      const float by_update = d_state[u] * (before[u] - c) * (z * (1.0f - z));
      d_gates[n + u] = by_update;
      d_gates[2 * n + u] = by_candidate;
      d_candidate[u] = by_candidate;
      d_product[n + u] = by_update;
    }
  }
}

DL_ISA_CLONES void GruResetBackward(const GruCellShape& shape, const GruResetGradient& cell) {
  const int64_t n = shape.units;
  for (int64_t e = 0; e < shape.examples; ++e) {
    const float* __restrict__ const gates = cell.gates + e * 3 * n;
    const float* __restrict__ const before = cell.before + e * n;
    const float* __restrict__ const d_state = cell.d_state + e * n;
    const float* __restrict__ const d_reset_state = cell.d_reset_state + e * n;
    float* __restrict__ const d_gates = cell.d_gates + e * 3 * n;
    float* __restrict__ const d_product = cell.d_product + e * 2 * n;
    DL_INDEPENDENT
    for (int64_t u = 0; u < n; ++u) {
      const float r = gates[u];
      const float by_reset = d_reset_state[u] * before[u] * (r * (1.0f - r));
      d_gates[u] = by_reset;
      d_product[u] = by_reset;
    }
    if (cell.d_before == nullptr) continue;
    float* __restrict__ const d_before = cell.d_before + e * n;
    for (int64_t u = 0; u < n; ++u)
      d_before[u] += d_state[u] * gates[n + u] + d_reset_state[u] * gates[u];
  }
}

DL_ISA_CLONES void GruBiasGradient(const GruBiasShape& shape, IndexRange range,
                                   const float* d_product, double* sums, float* gradient) {
  const int64_t units = shape.units;
  std::fill(sums + range.begin, sums + range.end, 0.0);
  for (int64_t r = 0; r < shape.rows; ++r) {
    const float* const row = d_product + r * 3 * units + 2 * units;
    for (int64_t u = range.begin; u < range.end; ++u) sums[u] += static_cast<double>(row[u]);
  }
  for (int64_t u = range.begin; u < range.end; ++u) gradient[u] = static_cast<float>(sums[u]);
}

}  // namespace dl::nn

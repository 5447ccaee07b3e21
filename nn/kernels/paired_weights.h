// Copies of weights in the order in which AMX and avx512_bf16 multiply bf16: pairs of values that
// the instructions add together are neighbours.
#pragma once

#include <cstdint>

#include "nn/kernels/index_range.h"

namespace dl::nn {

// Weights of a product or convolution in memory, in float32, as
// [groups][output blocks][input blocks][taps][16 inputs][width outputs], and their copy in bf16.
// Each group of the copy has blocks of outputs and inputs, of a multiple of 16 each, and a block
// has for each tap [inputs / 2][outputs][2 inputs] or [outputs / 2][inputs][2 outputs].
struct PairedWeights {
  static constexpr int64_t kSide = 16;

  int64_t width = kSide;  // a multiple of 16
  // Blocks of a group of the weights, padding included, and taps.
  int64_t output_blocks = 0, input_blocks = 0, taps = 1;

  enum class Pairs : uint8_t { kOfInputs, kOfOutputs } pairs = Pairs::kOfInputs;
  // Outputs and inputs of a block of the copy, in units of 16.
  int64_t copy_outputs = 1, copy_inputs = 1;
  // Distances in the copy, in pairs: from a group, block or tap to the next.
  int64_t group_step = 0, output_step = 0, input_step = 0, tap_step = 0;

  // Values of the weights for one tap of one block, which Round copies together.
  int64_t UnitValues() const { return kSide * width; }
  // Rounds a range of the values in `from` to their places in the copy `to`. An element of the copy
  // is a pair of values, the first in its lower half. Leaves the padding of the copy as it is. Has
  // the bits of RoundToBf16. REQUIRES: the range begins and ends at multiples of UnitValues(); the
  // copy is aligned to 64 bytes; a CPU with AVX-512.
  void Round(const float* from, IndexRange range, uint32_t* to) const;
};

}  // namespace dl::nn

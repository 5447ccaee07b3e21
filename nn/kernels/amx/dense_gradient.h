// The weight and bias gradients of a dense layer in bf16, with AMX.
//   dW[o,i] = sum over n of dY[n,o] X[n,i].   db[o] = sum over n of dY[n,o].
//
// Order of additions: the rows n are added in ascending order, 32 to an instruction for dW. For db,
// the second row of each pair is added before the first. Both are the orders of oneDNN 2.6.3, so
// the bits are the same as those of its kernel. They do not depend on the division of the work.
#pragma once

#include <cstdint>

#include "nn/kernels/blocked_copy.h"
#include "nn/kernels/index_range.h"

namespace dl::nn {

// The gradients of one geometry, for any number of runs. Immutable; safe for use by several
// threads. A run computes blocks 0 to blocks() - 1 one after the other: Stage for all units of
// staging, then Compute for all units of the result. The units of a block may be computed in any
// order and at the same time.
class AmxDenseGradient {
 public:
  // Returns whether the kernel can write this gradient, [outputs, inputs].
  static bool Supports(const BlockedMatrix& gradient);

  // `rows`: of X and dY. REQUIRES: Supports(gradient), and a CPU with AMX that the process may use.
  AmxDenseGradient(int64_t rows, const BlockedMatrix& gradient);

  struct Buffers {
    const uint16_t* source = nullptr;            // X [rows, inputs]
    const uint16_t* diff_destination = nullptr;  // dY [rows, outputs]
    float* diff_weights = nullptr;               // aligned to 64 bytes
    float* diff_bias = nullptr;                  // null without a bias; `outputs` floats
    uint16_t* scratch = nullptr;                 // scratch_values() values, aligned to 64 bytes
  };
  int64_t scratch_values() const { return in_tiles_ * panel_; }
  int64_t blocks() const { return (rows_ + kBlockRows - 1) / kBlockRows; }
  int64_t staging_units() const { return in_tiles_; }
  int64_t units() const { return (out_tiles_ + kTilesOfUnit - 1) / kTilesOfUnit; }
  // Arranges a block of rows of X as tiles.
  void Stage(const Buffers& buffers, int64_t block, IndexRange units) const;
  // Adds a block of rows to the gradients; the first block overwrites them.
  void Compute(const Buffers& buffers, int64_t block, IndexRange units) const;

 private:
  static constexpr int64_t kBlockRows = 256;  // whose tiles of one unit fit the first-level cache
  static constexpr int64_t kTilesOfUnit = 2;  // tiles of 16 outputs

  int64_t RowsOf(int64_t block) const;
  int64_t TilesOf(int64_t unit) const;
  float* Destination(const Buffers& buffers, int64_t out_tile, int64_t in_tile) const;
  // Arranges a block of rows of dY for 16 outputs, and adds it to the gradient of the bias.
  void StageOutputs(const Buffers& buffers, int64_t block, int64_t out_tile, uint16_t* tiles) const;
  void MultiplyUnit(const Buffers& buffers, int64_t block, int64_t unit,
                    const uint16_t* tiles) const;

  int64_t rows_;
  BlockedMatrix gradient_;
  int64_t in_tiles_, out_tiles_;  // of 16 inputs or outputs
  int64_t panel_;                 // numbers of the tiles of 16 inputs or outputs in a block of rows
};

}  // namespace dl::nn

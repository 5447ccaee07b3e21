// The weight and bias gradients of convolutions of images with few pixels in bf16, with AMX:
//   dW[o,i,t] = sum over connections (p,q) of tap t, and over n, of dY[n,p,o] X[n,q,i].
//   db[o] = sum over n and p of dY[n,p,o].
// A tap that meets only padding costs no more than the zeros of its gradient.
//
// Order of additions: the connections of a tap in the order of their list, and for each connection
// the examples in ascending order, 32 to an instruction. For db, n and then p ascend. The order
// does not depend on the division of the work.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/kernels/index_range.h"

namespace dl::nn {

struct SmallWeightGradient {
  static constexpr int64_t kBlock = 32;  // inputs and outputs are multiples of it

  // Pixels of the input and of the output that a tap connects.
  struct Connection {
    int64_t in = 0, out = 0;
  };
  int64_t rows = 0;                 // examples
  int64_t inputs = 0, outputs = 0;  // channels
  int64_t in_pixels = 0, out_pixels = 0;
  std::vector<std::vector<Connection>> connections;  // for each tap
};

// The gradients of one geometry, for any number of runs. Immutable; safe for use by several
// threads. A run consists of Stage for all staging units, and then Compute for all units, each in
// any order and at the same time.
class AmxSmallWeightGradient {
 public:
  // REQUIRES: a CPU with AMX that the process may use.
  explicit AmxSmallWeightGradient(SmallWeightGradient gradient);

  struct Buffers {
    const uint16_t* source = nullptr;            // X [rows][in_pixels][inputs]
    const uint16_t* diff_destination = nullptr;  // dY [rows][out_pixels][outputs]
    // [outputs / 16][inputs / 16][taps][16 inputs][16 outputs], aligned to 64 bytes.
    float* diff_weights = nullptr;
    float* diff_bias = nullptr;   // null without a bias; `outputs` floats
    uint16_t* scratch = nullptr;  // scratch_values() values, aligned to 64 bytes
  };
  int64_t scratch_values() const { return source_values_ + g_.out_pixels * OutTiles() * panel_; }
  int64_t staging_units() const { return g_.in_pixels + g_.out_pixels; }
  int64_t units() const { return g_.outputs / SmallWeightGradient::kBlock; }
  // Arranges some pixels of X and dY as tiles.
  void Stage(const Buffers& buffers, IndexRange units) const;
  // Computes the gradients of some outputs.
  void Compute(const Buffers& buffers, IndexRange units) const;

 private:
  int64_t InTiles() const { return g_.inputs / 16; }
  int64_t OutTiles() const { return g_.outputs / 16; }
  void StageSource(const Buffers& buffers, int64_t pixel) const;
  void StageDestination(const Buffers& buffers, int64_t pixel) const;
  // Computes one tap of 32 inputs and 32 outputs, from the given tiles on.
  void ComputeTap(const Buffers& buffers, int64_t out_tile, int64_t in_tile, int64_t tap) const;
  void ComputeBias(const Buffers& buffers, int64_t first) const;

  SmallWeightGradient g_;
  int64_t panel_;          // numbers of the tiles of all rows of one pixel, for 16 channels
  int64_t source_values_;  // of X in scratch, which dY follows
};

}  // namespace dl::nn

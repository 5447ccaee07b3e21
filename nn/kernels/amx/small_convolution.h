// Convolutions of images with few pixels in bf16, with AMX: the output, and the gradient of the
// input. Both are sums of products of matrices, one for each pair of a pixel of the result and a
// pixel of the source that a tap connects:
//   Y[n,p,c] = bias[c] + sum over sources (q,t) of pixel p, and over k, of X[n,q,k] W[t][k,c].
// The rows of a matrix are the examples of the minibatch. Taps that meet padding cost no time.
//
// Order of additions: the sources of a pixel in the order of their list, and for each source the
// terms k in ascending order, 32 to an instruction. The bias is added last. The order does not
// depend on the number of examples or on the division of the work.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/kernels/index_range.h"

namespace dl::nn {

struct SmallConvolution {
  static constexpr int64_t kBlock = 32;  // channels of source and result are multiples of it

  struct Source {
    int64_t pixel = 0, tap = 0;
  };
  int64_t rows = 0;                // examples
  int64_t terms = 0, columns = 0;  // channels of the source and of the result
  int64_t source_pixels = 0, taps = 0;
  std::vector<std::vector<Source>> sources;  // for each pixel of the result
  bool rounds = true;                        // the result is bf16, otherwise float32
};

// The kernels of a convolution, for any number of runs. Immutable; safe for use by several threads.
// A run consists of Stage for all staging units, and then Compute for all units, each in any order
// and at the same time.
class AmxSmallConvolution {
 public:
  // REQUIRES: a CPU with AMX that the process may use.
  explicit AmxSmallConvolution(SmallConvolution convolution);

  struct Buffers {
    const uint16_t* source = nullptr;  // X [rows][source_pixels][terms]
    // W in tiles [columns / 16][taps][terms / 32][16 pairs of terms][16 columns].
    const uint16_t* weights = nullptr;
    const float* bias = nullptr;  // null without a bias; `columns` floats
    void* result = nullptr;       // Y [rows][pixels][columns]
    uint16_t* scratch = nullptr;  // scratch_values() values, aligned to 64 bytes
  };
  int64_t scratch_values() const { return staging_units() * panel_; }
  int64_t staging_units() const { return c_.source_pixels * row_tiles_; }
  int64_t units() const { return c_.columns / SmallConvolution::kBlock; }
  // Arranges parts of the source as tiles.
  void Stage(const Buffers& buffers, IndexRange units) const;
  // Computes some channels of the result.
  void Compute(const Buffers& buffers, IndexRange units) const;

 private:
  // 32 channels of up to 32 examples of one pixel of the result.
  struct Block {
    int64_t unit = 0, pixel = 0, row_tile = 0;
  };
  void ComputeBlock(const Buffers& buffers, const Block& block) const;
  void Finish(const Buffers& buffers, const Block& block, float* sums) const;

  SmallConvolution c_;
  int64_t row_tiles_;  // of 16 examples
  int64_t panel_;      // numbers of the tiles of 16 rows of one pixel of the source
};

}  // namespace dl::nn
